import { Body, Controller, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { LinksService } from '../links/links.service.js';
import { OBJECT_ERRORS } from '../objects.errors.js';
import { SignedLinkAnswer, SignedLinkView, SignLinkBody } from './links.dto.js';

@ApiTags('storage')
@Controller('api/v1/storage/buckets/:bucket_id')
export class LinksController {
  constructor(private readonly links: LinksService) {}

  @Post('sign')
  @RequireScope('storage:read', { in: 'resource' })
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Signs a request for one object, so that others can make it without a key.',
    description:
      'Anyone who has the URL can make the request until it expires. ' +
      'It also ends with the permissions of its creator. `PUT` and `DELETE` require `storage:write`.',
  })
  @ApiOkResponse({ type: SignedLinkAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, OBJECT_ERRORS.bucket_not_found, OBJECT_ERRORS.invalid_key)
  async sign(
    @Caller() call: Call,
    @Param('bucket_id') bucketId: string,
    @Body() { input }: SignLinkBody,
  ): Promise<Envelope<SignedLinkView>> {
    return new Envelope(SignedLinkView.of(await this.links.sign(call, bucketId, input)));
  }
}
