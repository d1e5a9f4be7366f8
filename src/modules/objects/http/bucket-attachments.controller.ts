import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { PROJECT_ERRORS } from '../../projects/projects.errors.js';
import { ATTACHMENT_ERRORS } from '../attachments/attachments.errors.js';
import { BucketAttachmentsService } from '../attachments/bucket-attachments.service.js';
import { OBJECT_ERRORS } from '../objects.errors.js';
import {
  AttachBucketBody,
  BucketAttachmentAnswer,
  BucketAttachmentPageAnswer,
  BucketAttachmentView,
} from './bucket-attachments.dto.js';

@ApiTags('storage')
@Controller('api/v1/storage/buckets/:bucket_id/attachments')
export class BucketAttachmentsController {
  constructor(private readonly attachments: BucketAttachmentsService) {}

  @Get()
  @RequireScope('storage:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the projects that a bucket is attached to.' })
  @ApiOkResponse({ type: BucketAttachmentPageAnswer })
  @ApiRefusals(...ANY_CALLER, OBJECT_ERRORS.bucket_not_found)
  async list(@Caller() call: Call, @Param('bucket_id') bucketId: string): Promise<Envelope<BucketAttachmentView[]>> {
    const items = await this.attachments.list(call, bucketId);
    return pageEnvelope({ items, next: undefined }, (each) => BucketAttachmentView.of(each));
  }

  @Put(':project_id')
  @RequireScope('storage:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Attaches a bucket to a project, or changes the attachment.',
    description:
      'The next deploys get the address of the bucket and a key pair of their own as environment variables. ' +
      'Requires `projects:write` as well.',
  })
  @ApiOkResponse({ type: BucketAttachmentAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    GENERIC_ERRORS.already_exists,
    OBJECT_ERRORS.bucket_not_found,
    PROJECT_ERRORS.project_not_found,
  )
  async attach(
    @Caller() call: Call,
    @Param('bucket_id') bucketId: string,
    @Param('project_id') projectId: string,
    @Body() { input }: AttachBucketBody,
  ): Promise<Envelope<BucketAttachmentView>> {
    return new Envelope(BucketAttachmentView.of(await this.attachments.attach(call, bucketId, projectId, input)));
  }

  @Delete(':project_id')
  @RequireScope('storage:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Detaches a bucket from a project.',
    description: 'The key pair ends at once: deploys that run cannot reach the bucket any more.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    OBJECT_ERRORS.bucket_not_found,
    PROJECT_ERRORS.project_not_found,
    ATTACHMENT_ERRORS.bucket_not_attached,
  )
  detach(
    @Caller() call: Call,
    @Param('bucket_id') bucketId: string,
    @Param('project_id') projectId: string,
  ): Promise<void> {
    return this.attachments.detach(call, bucketId, projectId);
  }
}
