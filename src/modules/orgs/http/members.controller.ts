import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ACCESS_ERRORS, ANY_CALLER } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { InvitationsService } from '../members/invitations.service.js';
import { MembersService } from '../members/members.service.js';
import { RequireRecentSignIn } from '../../auth/require-recent-sign-in.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { RequireVerifiedEmail } from '../../auth/require-verified-email.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { ORG_ERRORS } from '../orgs.errors.js';
import {
  ChangeRoleBody,
  InvitationAnswer,
  InvitationView,
  InviteBody,
  MemberAnswer,
  MemberPageAnswer,
  MemberView,
} from './orgs.dto.js';

@ApiTags('organizations')
@TakesSession('or_key')
@Controller('api/v1/orgs/:org_id/members')
export class MembersController {
  constructor(
    private readonly members: MembersService,
    private readonly invitations: InvitationsService,
  ) {}

  @Get()
  @RequireScope('orgs:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the members of an organization.' })
  @ApiOkResponse({ type: MemberPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, ORG_ERRORS.organization_not_found)
  async list(
    @Caller() call: Call,
    @Param('org_id') orgIdOrSlug: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<MemberView[]>> {
    return pageEnvelope(await this.members.list(orgIdOrSlug, query.page, call), (member) => MemberView.of(member));
  }

  @Post()
  @RequireScope('orgs:members', { in: 'resource' })
  @RequireRecentSignIn()
  @RequireVerifiedEmail()
  @TakesJson()
  @ApiOperation({
    summary: 'Invites a person by email.',
    description: 'The invitation is valid for seven days, and replaces an earlier one to the same address.',
  })
  @ApiCreatedResponse({ type: InvitationAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    ORG_ERRORS.organization_not_found,
    GENERIC_ERRORS.already_exists,
    ORG_ERRORS.personal_organization,
    CREDENTIAL_ERRORS.recent_sign_in_required,
    ACCESS_ERRORS.email_not_verified,
  )
  async invite(
    @Caller() call: Call,
    @Param('org_id') orgIdOrSlug: string,
    @Body() body: InviteBody,
  ): Promise<Envelope<InvitationView>> {
    return new Envelope(InvitationView.of(await this.invitations.invite(orgIdOrSlug, body, call)));
  }

  @Patch(':user_id')
  @RequireScope('orgs:members', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesJson()
  @ApiOperation({
    summary: 'Changes the role of a member.',
    description: "Neither the old nor the new role can be above the caller's own. The last owner keeps the role.",
  })
  @ApiOkResponse({ type: MemberAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    ORG_ERRORS.organization_not_found,
    ORG_ERRORS.member_not_found,
    ORG_ERRORS.last_owner,
    ORG_ERRORS.personal_organization,
    CREDENTIAL_ERRORS.recent_sign_in_required,
  )
  async setRole(
    @Caller() call: Call,
    @Param('org_id') orgIdOrSlug: string,
    @Param('user_id') userId: string,
    @Body() { role }: ChangeRoleBody,
  ): Promise<Envelope<MemberView>> {
    return new Envelope(MemberView.of(await this.members.setRole({ orgIdOrSlug, userId }, role, call)));
  }

  @Delete(':user_id')
  @RequireScope('orgs:members', { in: 'resource' })
  @RequireRecentSignIn()
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Removes a member.',
    description: 'Members can remove themselves. The last owner cannot be removed.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    ORG_ERRORS.organization_not_found,
    ORG_ERRORS.member_not_found,
    ORG_ERRORS.last_owner,
    ORG_ERRORS.personal_organization,
    CREDENTIAL_ERRORS.recent_sign_in_required,
  )
  async remove(
    @Caller() call: Call,
    @Param('org_id') orgIdOrSlug: string,
    @Param('user_id') userId: string,
  ): Promise<void> {
    await this.members.remove({ orgIdOrSlug, userId }, call);
  }
}
