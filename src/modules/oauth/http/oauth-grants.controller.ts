import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { OauthGrantsService } from '../grants/oauth-grants.service.js';
import { OAUTH_ERRORS } from '../oauth.errors.js';
import { OauthGrantAnswer, OauthGrantPageAnswer, OauthGrantView } from './oauth-grants.dto.js';

@ApiTags('keys')
@TakesSession('or_key')
@Controller('api/v1/grants')
export class OauthGrantsController {
  constructor(private readonly grants: OauthGrantsService) {}

  @Get()
  @RequireScope('keys:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists the grants of OAuth clients, newest first.',
    description:
      'Returns the grants that you made and that have not ended. A key that is not personal sees those within its ' +
      'organizations.',
  })
  @ApiOkResponse({ type: OauthGrantPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: PageQuery): Promise<Envelope<OauthGrantView[]>> {
    return pageEnvelope(await this.grants.list(call, query.page), (grant) => OauthGrantView.of(grant));
  }

  @Get(':grant_id')
  @RequireScope('keys:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns a grant of an OAuth client.' })
  @ApiOkResponse({ type: OauthGrantAnswer })
  @ApiRefusals(...ANY_CALLER, OAUTH_ERRORS.grant_not_found)
  async get(@Caller() call: Call, @Param('grant_id') grantId: string): Promise<Envelope<OauthGrantView>> {
    return new Envelope(OauthGrantView.of(await this.grants.get(call, grantId)));
  }

  @Delete(':grant_id')
  @RequireScope('keys:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Ends a grant of an OAuth client.',
    description: 'The client is refused at its next call, and gets no more tokens. Ending cannot be undone.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, OAUTH_ERRORS.grant_not_found)
  async end(@Caller() call: Call, @Param('grant_id') grantId: string): Promise<void> {
    await this.grants.end(call, grantId);
  }
}
