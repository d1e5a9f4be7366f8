import { Body, Controller, HttpCode, HttpStatus, Param, Post, Put, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { isDryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { UnsupportedMediaType } from '../../../platform/http/http.errors.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { letTakeLong } from '../../../platform/http/long-request.js';
import { ACCESS_ERRORS, ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { RequireVerifiedEmail } from '../../auth/require-verified-email.js';
import { RequireFeature } from '../../features/require-feature.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { PROJECT_ERRORS } from '../../projects/projects.errors.js';
import { UPLOAD_ERRORS } from '../uploads.errors.js';
import { UploadsService } from '../uploads.service.js';
import {
  CreateUploadBody,
  MissingContentAnswer,
  type MissingContentView,
  UploadAnswer,
  type UploadView,
  viewOf,
} from './uploads.dto.js';

/** The longest list of files, with paths of a common length. */
const LIST_BYTES = 6 * 1_048_576;
const CONTENT_TYPE = 'application/octet-stream';
const CONTENT_HINT = `Send the bytes as they are, with the header Content-Type: ${CONTENT_TYPE}.`;
const CONTENT_EXAMPLE = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\ntest';

@ApiTags('deploys')
@Controller('api/v1/projects/:project_id/uploads')
export class UploadsController {
  constructor(private readonly uploads: UploadsService) {}

  @Post()
  @RequireScope('deploys:write', { in: 'resource' })
  @RequireVerifiedEmail()
  @RequireFeature('deploys')
  @TakesJson({ limitBytes: LIST_BYTES })
  @ApiOperation({
    summary: 'Creates an upload: the list of files of a directory to deploy without git.',
    description:
      'The answer names the content that the project has not stored yet. Send it, then create a deploy with ' +
      '`source: {"upload_id": …}`. Uploads are kept for 7 days.',
  })
  @ApiBody({ type: CreateUploadBody })
  @ApiCreatedResponse({ type: UploadAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    OPERATOR_ERRORS.feature_disabled,
    PROJECT_ERRORS.project_not_found,
    UPLOAD_ERRORS.upload_too_large,
    UPLOAD_ERRORS.upload_storage_full,
    ACCESS_ERRORS.email_not_verified,
  )
  async create(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Body() { announced }: CreateUploadBody,
  ): Promise<Envelope<UploadView>> {
    return new Envelope(viewOf(await this.uploads.begin(call, projectIdOrSlug, announced)));
  }

  @Put(':upload_id/blobs')
  @RequireScope('deploys:write', { in: 'resource' })
  @RequireVerifiedEmail()
  @RequireFeature('deploys')
  @TakesNothing({ actsOutside: true })
  @HttpCode(HttpStatus.OK)
  @ApiConsumes(CONTENT_TYPE)
  @ApiBody({ schema: { type: 'string', format: 'binary', example: CONTENT_EXAMPLE } })
  @ApiOperation({
    summary: 'Stores content of an upload, and returns what is still missing.',
    description:
      'The body holds one or more contents, each after its SHA-256 in hexadecimal digits and a line break. ' +
      'The size of each is the announced one. All of them are stored or none.',
  })
  @ApiOkResponse({ type: MissingContentAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    GENERIC_ERRORS.unsupported_media_type,
    OPERATOR_ERRORS.feature_disabled,
    PROJECT_ERRORS.project_not_found,
    UPLOAD_ERRORS.upload_not_found,
    UPLOAD_ERRORS.upload_content_invalid,
    LIMIT_ERRORS.concurrency_limit_exceeded,
    ACCESS_ERRORS.email_not_verified,
  )
  async receive(
    @Caller() call: Call,
    @Param('project_id') projectIdOrSlug: string,
    @Param('upload_id') uploadId: string,
    @Req() request: Request,
  ): Promise<Envelope<MissingContentView>> {
    requireContent(request);
    const isRehearsal = isDryRun(request);
    letTakeLong(request.res!);
    const place = { projectIdOrSlug, uploadId };
    const missing = await this.uploads.receive(call, place, isRehearsal ? undefined : request);
    return new Envelope({ missing: [...missing] }, isRehearsal ? { dry_run: true } : {});
  }
}

function requireContent({ headers }: Request): void {
  if (headers['content-type'] !== CONTENT_TYPE)
    throw new UnsupportedMediaType(`The content type must be ${CONTENT_TYPE}.`, CONTENT_HINT);
  if (headers['content-encoding'] !== undefined)
    throw new UnsupportedMediaType('The content must not have a Content-Encoding.', CONTENT_HINT);
}
