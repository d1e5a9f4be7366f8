import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { InvitationAcceptanceService } from '../members/invitation-acceptance.service.js';
import { InvitationsService } from '../members/invitations.service.js';
import { RequireCaller, RequireScope, TakesSession } from '../../auth/require-scope.js';
import { TokenBody } from '../../auth/token-body.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { ORG_ERRORS } from '../orgs.errors.js';
import { InvitationPageAnswer, InvitationView, OrgAnswer, OrgView } from './orgs.dto.js';

@ApiTags('organizations')
@Controller('api/v1')
export class InvitationsController {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly acceptance: InvitationAcceptanceService,
  ) {}

  @Get('orgs/:org_id/invitations')
  @TakesSession('or_key')
  @RequireScope('orgs:members', { in: 'resource' })
  @ApiOperation({ summary: 'Lists open invitations, newest first.' })
  @ApiOkResponse({ type: InvitationPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, ORG_ERRORS.organization_not_found)
  async list(
    @Caller() call: Call,
    @Param('org_id') orgIdOrSlug: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<InvitationView[]>> {
    return pageEnvelope(await this.invitations.list(orgIdOrSlug, query.page, call), (invitation) =>
      InvitationView.of(invitation),
    );
  }

  @Delete('orgs/:org_id/invitations/:invitation_id')
  @TakesSession('or_key')
  @RequireScope('orgs:members', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Revokes an invitation.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, ORG_ERRORS.organization_not_found, ORG_ERRORS.invitation_not_found)
  async revoke(
    @Caller() call: Call,
    @Param('org_id') orgIdOrSlug: string,
    @Param('invitation_id') invitationId: string,
  ): Promise<void> {
    await this.invitations.revoke(orgIdOrSlug, invitationId, call);
  }

  @Post('invitations/accept')
  @TakesSession('only')
  @RequireCaller()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Accepts an invitation with the token from the message.',
    description:
      "The caller joins the organization. The message must have been sent to the caller's own email address.",
  })
  @ApiOkResponse({ type: OrgAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, CREDENTIAL_ERRORS.invalid_email_token, GENERIC_ERRORS.already_exists)
  async accept(@Caller() call: Call, @Body() { token }: TokenBody): Promise<Envelope<OrgView>> {
    return new Envelope(OrgView.of(await this.acceptance.accept(token, call)));
  }
}
