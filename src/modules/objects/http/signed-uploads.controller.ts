import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, UseInterceptors } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { CREDIT_ERRORS } from '../../credits/credits.errors.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { SignedUploadsService } from '../links/signed-uploads.service.js';
import { OBJECT_ERRORS } from '../objects.errors.js';
import { ObjectsSettings } from '../objects.settings.js';
import { CountsAs, ObjectRequestCounts } from './object-request-counts.js';
import { StoredObjectAnswer, StoredObjectView } from './objects.dto.js';
import {
  BeginObjectUploadBody,
  BegunObjectUploadAnswer,
  BegunObjectUploadView,
  ObjectUploadAnswer,
  ObjectUploadView,
  SignedPartsAnswer,
  SignedPartView,
  SignObjectPartsBody,
} from './signed-uploads.dto.js';

@ApiTags('storage')
@UseInterceptors(ObjectRequestCounts)
@Controller('api/v1/storage/buckets/:bucket_id/uploads')
export class SignedUploadsController {
  constructor(
    private readonly uploads: SignedUploadsService,
    private readonly settings: ObjectsSettings,
  ) {}

  @Post()
  @CountsAs('CreateMultipartUpload')
  @RequireScope('storage:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Begins an upload in parts, for programs without an access key.',
    description: 'Sign the parts, send each with its link, then complete the upload. It expires after 7 days.',
  })
  @ApiCreatedResponse({ type: BegunObjectUploadAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    CREDIT_ERRORS.credits_exhausted,
    CREDIT_ERRORS.spend_cap_reached,
    OBJECT_ERRORS.bucket_not_found,
    OBJECT_ERRORS.invalid_key,
    OBJECT_ERRORS.object_too_large,
  )
  async begin(
    @Caller() call: Call,
    @Param('bucket_id') bucketId: string,
    @Body() { input }: BeginObjectUploadBody,
  ): Promise<Envelope<BegunObjectUploadView>> {
    return new Envelope(BegunObjectUploadView.of(await this.uploads.begin(call, bucketId, input)));
  }

  @Get(':upload_id')
  @CountsAs('ListParts')
  @RequireScope('storage:write', { in: 'resource' })
  @ApiOperation({ summary: 'Returns an upload with the parts that are there.' })
  @ApiOkResponse({ type: ObjectUploadAnswer })
  @ApiRefusals(...ANY_CALLER, OBJECT_ERRORS.bucket_not_found, OBJECT_ERRORS.object_upload_not_found)
  async get(
    @Caller() call: Call,
    @Param('bucket_id') bucketId: string,
    @Param('upload_id') uploadId: string,
  ): Promise<Envelope<ObjectUploadView>> {
    return new Envelope(ObjectUploadView.ofProgress(await this.uploads.find(call, bucketId, uploadId)));
  }

  @Post(':upload_id/parts')
  @CountsAs('SignParts')
  @RequireScope('storage:write', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Signs a link for each of these parts.',
    description: 'Send the bytes of a part with `PUT` to its link. A part that is sent again replaces the earlier one.',
  })
  @ApiOkResponse({ type: SignedPartsAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, OBJECT_ERRORS.bucket_not_found, OBJECT_ERRORS.object_upload_not_found)
  async sign(
    @Caller() call: Call,
    @Param('bucket_id') bucketId: string,
    @Param('upload_id') uploadId: string,
    @Body() { numbers }: SignObjectPartsBody,
  ): Promise<Envelope<SignedPartView[]>> {
    const parts = await this.uploads.sign(call, bucketId, uploadId, numbers);
    return new Envelope(parts.map((part) => SignedPartView.ofPart(part)));
  }

  @Post(':upload_id/complete')
  @CountsAs('CompleteMultipartUpload')
  @RequireScope('storage:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Completes an upload: its parts become an object.',
    description:
      'Refused while a part is missing or has another size than was announced. ' +
      'Asked again within seven days, it answers the same, as long as the object is there.',
  })
  @ApiOkResponse({ type: StoredObjectAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    CREDIT_ERRORS.credits_exhausted,
    CREDIT_ERRORS.spend_cap_reached,
    OBJECT_ERRORS.bucket_not_found,
    OBJECT_ERRORS.object_upload_not_found,
    OBJECT_ERRORS.invalid_part,
    OBJECT_ERRORS.object_too_large,
  )
  async complete(
    @Caller() call: Call,
    @Param('bucket_id') bucketId: string,
    @Param('upload_id') uploadId: string,
  ): Promise<Envelope<StoredObjectView>> {
    const { object, bucket } = await this.uploads.complete(call, bucketId, uploadId);
    return new Envelope(StoredObjectView.of(object, bucket, this.settings));
  }

  @Delete(':upload_id')
  @CountsAs('AbortMultipartUpload')
  @RequireScope('storage:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Aborts an upload, and deletes its parts.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, OBJECT_ERRORS.bucket_not_found, OBJECT_ERRORS.object_upload_not_found)
  abort(
    @Caller() call: Call,
    @Param('bucket_id') bucketId: string,
    @Param('upload_id') uploadId: string,
  ): Promise<void> {
    return this.uploads.abort(call, bucketId, uploadId);
  }
}
