import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import type { Envelope } from '../../../platform/http/envelope.js';
import { TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { ORG_ERRORS } from '../../orgs/orgs.errors.js';
import { OrgGrantsService } from '../grants/org-grants.service.js';
import { OAUTH_ERRORS } from '../oauth.errors.js';
import { OrgGrantPageAnswer, OrgGrantView } from './oauth-grants.dto.js';

@ApiTags('organizations')
@TakesSession('or_key')
@Controller('api/v1/orgs/:org_id/grants')
export class OrgGrantsController {
  constructor(private readonly grants: OrgGrantsService) {}

  @Get()
  @RequireScope('orgs:members', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists the OAuth clients that members gave access to an organization, newest first.',
    description: 'Returns grants of all members that have not ended. What else a client reaches is not shown.',
  })
  @ApiOkResponse({ type: OrgGrantPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, ORG_ERRORS.organization_not_found)
  async list(
    @Caller() call: Call,
    @Param('org_id') orgIdOrSlug: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<OrgGrantView[]>> {
    return pageEnvelope(await this.grants.list(orgIdOrSlug, query.page, call), (grant) => OrgGrantView.of(grant));
  }

  @Delete(':grant_id')
  @RequireScope('orgs:members', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Ends the access of an OAuth client to an organization.',
    description:
      'The client is refused there at its next call. If the member gave it access to other organizations, it goes on ' +
      'working in those.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, ORG_ERRORS.organization_not_found, OAUTH_ERRORS.grant_not_found)
  async end(
    @Caller() call: Call,
    @Param('org_id') orgIdOrSlug: string,
    @Param('grant_id') grantId: string,
  ): Promise<void> {
    await this.grants.end(orgIdOrSlug, grantId, call);
  }
}
