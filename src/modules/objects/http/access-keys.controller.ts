import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { ACCESS_ERRORS, ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { RequireVerifiedEmail } from '../../auth/require-verified-email.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { ACCESS_KEY_ERRORS } from '../access-keys/access-keys.errors.js';
import { AccessKeysService } from '../access-keys/access-keys.service.js';
import {
  AccessKeyPageAnswer,
  AccessKeysQuery,
  AccessKeyView,
  CREATE_ACCESS_KEY_EXAMPLES,
  CreateAccessKeyBody,
  CreatedAccessKeyAnswer,
  CreatedAccessKeyView,
} from './access-keys.dto.js';

@ApiTags('storage')
@Controller('api/v1/storage/access-keys')
export class AccessKeysController {
  constructor(private readonly keys: AccessKeysService) {}

  @Get()
  @RequireScope('storage:read')
  @ApiOperation({ summary: 'Lists the access keys of an organization, newest first.' })
  @ApiOkResponse({ type: AccessKeyPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: AccessKeysQuery): Promise<Envelope<AccessKeyView[]>> {
    return pageEnvelope(await this.keys.list(call, query.page), (key) => AccessKeyView.of(key));
  }

  @Post()
  @RequireScope('storage:write')
  @RequireVerifiedEmail()
  @TakesJson()
  @ApiBody({ type: CreateAccessKeyBody, examples: CREATE_ACCESS_KEY_EXAMPLES })
  @ApiOperation({
    summary: 'Creates an access key, which programs for S3 sign their requests with.',
    description:
      'The secret is returned once and cannot be read again. The key has the permissions of its creator, within ' +
      '`access` and `bucket_ids`. It ends when its creator leaves the organization, and with the API key that ' +
      'created it.',
  })
  @ApiCreatedResponse({ type: CreatedAccessKeyAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, PLAN_ERRORS.plan_limit_reached, ACCESS_ERRORS.email_not_verified)
  async create(@Caller() call: Call, @Body() { input }: CreateAccessKeyBody): Promise<Envelope<CreatedAccessKeyView>> {
    return new Envelope(CreatedAccessKeyView.ofCreated(await this.keys.create(call, input)));
  }

  @Delete(':access_key_id')
  @RequireScope('storage:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Deletes an access key.',
    description: 'The key stops working with its next request, and so do the links that were signed with it.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    ACCESS_KEY_ERRORS.access_key_not_found,
    ACCESS_KEY_ERRORS.access_key_attached,
  )
  delete(@Caller() call: Call, @Param('access_key_id') id: string): Promise<void> {
    return this.keys.delete(call, id);
  }
}
