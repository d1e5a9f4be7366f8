import { Injectable } from '@nestjs/common';
import { AuthSettings } from '../../auth/auth.settings.js';
import type { Call } from '../../auth/caller.js';
import type { OrgMembership, Principal } from '../../auth/principal.js';
import { OauthGrantsService } from '../grants/oauth-grants.service.js';
import { OauthFlowMetrics } from '../metrics/oauth-flow.metrics.js';
import type { ClientRequest } from './consent-page.js';

/** What a person ticked. */
export interface Choice {
  readonly orgIds: readonly string[];
  readonly scopes: readonly string[];
}

/** Decides who may give a client access, and to what. */
@Injectable()
export class ConsentsService {
  constructor(
    private readonly grants: OauthGrantsService,
    private readonly settings: AuthSettings,
    private readonly metrics: OauthFlowMetrics,
  ) {}

  /** Returns the organizations that the person can give access to: those where the person can create keys. */
  orgsOf(principal: Principal): readonly OrgMembership[] {
    return principal.memberships.filter(({ id }) => principal.rightsIn(id).has('keys:write'));
  }

  /** True when the person has to verify the email address first, as for any other key. */
  needsVerification({ user }: Principal): boolean {
    return this.settings.needsVerification(user.emailVerified);
  }

  /** Returns what is wrong with a choice, or undefined. */
  faultOf(principal: Principal, request: ClientRequest, { orgIds, scopes }: Choice): string | undefined {
    const allowed = new Set(this.orgsOf(principal).map(({ id }) => id));
    if (orgIds.length === 0) return 'Choose at least one organization.';
    if (scopes.length === 0) return 'Choose at least one permission, or deny the request.';
    if (!orgIds.every((id) => allowed.has(id))) return 'You cannot give access to one of these organizations.';
    return scopes.every((scope) => request.scopes.includes(scope))
      ? undefined
      : 'The application did not ask for that.';
  }

  /** Makes the grant of a choice without a fault, and returns its id. */
  async allow(call: Call, { client, redirectUri, scopes: asked }: ClientRequest, choice: Choice): Promise<string> {
    const scopes = asked.filter((scope) => choice.scopes.includes(scope));
    const refused = asked.filter((scope) => !choice.scopes.includes(scope));
    const id = await this.grants.make(call, {
      client,
      redirectUri,
      orgIds: [...new Set(choice.orgIds)],
      scopes,
      refused,
    });
    this.metrics.grant(client.way, 'made');
    return id;
  }

  noteDenial({ client }: ClientRequest): void {
    this.metrics.grant(client.way, 'denied');
  }
}
