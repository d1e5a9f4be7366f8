import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { stateOf } from '../../../platform/http/request-state.js';
import { attachBudgetHolder, type BudgetHolder, budgetHolderOf } from '../../limits/budget-account.js';
import { IpNotAllowed } from '../access.errors.js';
import { isInRange } from '../domain/address-ranges.js';
import { attachCall, attachRefusal, type Call, callOf } from '../caller.js';
import { AuthenticatorService } from '../callers/authenticator.service.js';
import { isStale, type KnownCaller, stampsOf } from '../callers/known-caller.js';
import { KeyUsage } from '../keys/key-usage.js';
import { budgetAccountOf } from '../callers/org-budget.js';
import type { OrgMembership, Principal } from '../principal.js';
import { credentialOf } from './credential.js';

const ORG_HEADER = 'x-service-org';

/** Puts on a request who makes it, for which organization, and whose budget it is taken from. */
@Injectable()
export class CallAdmission {
  constructor(
    private readonly authenticator: AuthenticatorService,
    private readonly usage: KeyUsage,
  ) {}

  /** @throws {DomainError} when the token lets nobody in, not from here, or not into the organization that is named. */
  admit(request: Request, token: string): true | Promise<true> {
    const caller = this.authenticator.authenticate(token, request.ip ?? '');
    return caller instanceof Promise
      ? caller.then((known) => this.put(request, token, known))
      : this.put(request, token, caller);
  }

  /** As {@link admit}, but one who may not call is a stranger. */
  async admitIfKnown(request: Request): Promise<void> {
    try {
      const shown = credentialOf(request);
      if (shown.kind !== 'token') return;
      const caller = await this.authenticator.authenticate(shown.token, request.ip ?? '');
      // Whoever has found a key shall not use its organization's calls up from where the key may not be used.
      requireAddress(caller.principal, request.ip ?? '');
      this.put(request, shown.token, caller);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }

  /**
   * A refusal that rests on what is remembered is not thrown yet: as the call is counted it turns out whether that
   * still holds, and then this is asked again. {@link ScopeGuard} throws what stays.
   */
  private put(request: Request, token: string, caller: KnownCaller): true {
    const { principal } = caller;
    const ip = request.ip ?? '';
    try {
      requireAddress(principal, ip);
      this.putCall(request, { principal, org: orgOf(request, principal), ip, requestId: stateOf(request).requestId });
      attachBudgetHolder(request, this.holderOf(request, token, caller));
    } catch (error) {
      const [own] = principal.memberships;
      if (!(error instanceof DomainError) || own === undefined) throw error;
      attachRefusal(request, error);
      attachBudgetHolder(request, this.holderOf(request, token, caller, own));
    }
    return true;
  }

  private putCall(request: Request, call: Call): void {
    attachCall(request, call);
    Object.assign(stateOf(request), { logFields: { orgId: call.org.id }, callerKey: callerKeyOf(call) });
    const { credential } = call.principal;
    if (credential.type === 'api_key') this.usage.note(credential.keyId, call.ip);
  }

  private holderOf(request: Request, token: string, caller: KnownCaller, org = callOf(request)!.org): BudgetHolder {
    return {
      account: budgetAccountOf(org),
      stamps: stampsOf(caller, org),
      isStale: (stamps) => isStale(caller, org, stamps),
      refresh: async () => {
        this.put(request, token, await this.authenticator.reauthenticate(token));
        return budgetHolderOf(request)!;
      },
    };
  }
}

/** @throws {KeyOrgMismatch} `key_org_mismatch`, {OrgAccessDenied} `org_access_denied` */
function orgOf(request: Request, principal: Principal): OrgMembership {
  const named = request.headers[ORG_HEADER];
  return principal.orgOf(typeof named === 'string' && named !== '' ? named : undefined);
}

/** @throws {IpNotAllowed} `ip_not_allowed` */
function requireAddress({ credential }: Principal, ip: string): void {
  if (credential.type !== 'api_key' || credential.allowedIps.length === 0) return;
  if (!credential.allowedIps.some((range) => isInRange(range, ip))) throw new IpNotAllowed(ip);
}

/**
 * A key whatever its secret is, so that a retry may come with a rotated one; but no other key of the person, which may
 * not be shown what was made for a wider one. All sessions of a person are one caller.
 */
function callerKeyOf({ principal: { user, credential }, org }: Call): string {
  return `${credential.type === 'api_key' ? credential.keyId : user.id}/${org.id}`;
}
