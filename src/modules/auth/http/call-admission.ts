import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { innerOriginOf } from '../../../platform/http/inner-calls.js';
import { stateOf } from '../../../platform/http/request-state.js';
import { attachBudgetHolder, type BudgetHolder, budgetHolderOf } from '../../limits/budget-account.js';
import { type AccessGrant, isWorkGrant } from '../access-tokens.js';
import { IpNotAllowed } from '../access.errors.js';
import { isInRange } from '../domain/address-ranges.js';
import { attachCall, attachRefusal, type Call, callOf } from '../caller.js';
import { attachCarried, CarriedCaller, carriedCallerOf } from '../carried-caller.js';
import { AuthenticatorService } from '../callers/authenticator.service.js';
import { GrantAuthenticatorService } from '../callers/grant-authenticator.service.js';
import { isStale, type KnownCaller, stampsOf } from '../callers/known-caller.js';
import { KeyUsage } from '../keys/key-usage.js';
import { budgetAccountOf } from '../callers/org-budget.js';
import type { OrgMembership, Principal } from '../principal.js';
import { SessionCookie } from '../session-cookie.js';
import { credentialOf } from './credential.js';

const ORG_HEADER = 'x-service-org';

/** Attaches to a request its caller, its organization and the budget that it is counted against. */
@Injectable()
export class CallAdmission {
  constructor(
    private readonly authenticator: AuthenticatorService,
    private readonly grants: GrantAuthenticatorService,
    private readonly usage: KeyUsage,
    private readonly cookie: SessionCookie,
  ) {}

  /**
   * @param onlyOrg id or slug of the only organization that the caller may act in here.
   * @throws {DomainError} when the credential is refused, also for this address or for the requested organization.
   */
  admit(request: Request, credential: string | AccessGrant, onlyOrg?: string): true | Promise<true> {
    attachCarried(request, new CarriedCaller(credential, onlyOrg));
    const caller = this.find(credential, request.ip ?? '');
    return caller instanceof Promise
      ? caller.then((known) => this.attach(request, credential, known))
      : this.attach(request, credential, caller);
  }

  /** {@link admit} for public routes: a caller with a refused credential counts as unauthenticated. */
  async admitIfKnown(request: Request): Promise<void> {
    try {
      const credential = this.credentialIn(request);
      if (credential === undefined) return;
      const caller = await this.find(credential, request.ip ?? '');
      attachCarried(request, new CarriedCaller(credential, carriedTo(request)?.onlyOrg));
      // A stolen key must not use up the calls of its organization from an address that it does not allow.
      requireAddress(caller.principal, request.ip ?? '');
      this.attach(request, credential, caller);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }

  private credentialIn(request: Request): string | AccessGrant | undefined {
    const carried = carriedTo(request);
    if (carried !== undefined) return carried.credential;
    if (this.cookie.isUsedBy(request)) return this.cookie.tokenOf(request);
    const sent = credentialOf(request);
    return sent.kind === 'token' ? sent.token : undefined;
  }

  private find(credential: string | AccessGrant, ip: string): KnownCaller | Promise<KnownCaller> {
    return typeof credential === 'string'
      ? this.authenticator.authenticate(credential, ip)
      : this.grants.authenticate(credential);
  }

  private findAgain(credential: string | AccessGrant): Promise<KnownCaller> {
    return typeof credential === 'string'
      ? this.authenticator.reauthenticate(credential)
      : this.grants.reauthenticate(credential);
  }

  /**
   * A refusal may rest on an outdated caller, so it is only attached here. When the call is counted, an outdated caller
   * is looked up again. {@link ScopeGuard} throws a refusal that remains.
   */
  private attach(request: Request, credential: string | AccessGrant, caller: KnownCaller): true {
    const ip = request.ip ?? '';
    let { principal } = caller;
    try {
      requireAddress(principal, ip);
      const onlyOrg = carriedCallerOf(request)?.onlyOrg;
      if (onlyOrg !== undefined) principal = principal.onlyIn(onlyOrg);
      this.attachCaller(request, {
        principal,
        org: orgOf(request, principal),
        ip,
        requestId: stateOf(request).requestId,
        ...(typeof credential !== 'string' && isWorkGrant(credential)
          ? { budgetSubjects: credential.budgetSubjects }
          : {}),
      });
      attachBudgetHolder(request, this.holderOf(request, credential, caller));
    } catch (error) {
      const [own] = principal.memberships;
      if (!(error instanceof DomainError) || own === undefined) throw error;
      attachRefusal(request, error);
      attachBudgetHolder(request, this.holderOf(request, credential, caller, own));
    }
    return true;
  }

  private attachCaller(request: Request, call: Call): void {
    attachCall(request, call);
    Object.assign(stateOf(request), { logFields: { orgId: call.org.id }, callerKey: callerKeyOf(call) });
    const { credential } = call.principal;
    if (credential.type === 'api_key') this.usage.note(credential.keyId, call.ip);
  }

  private holderOf(
    request: Request,
    credential: string | AccessGrant,
    caller: KnownCaller,
    org = callOf(request)!.org,
  ): BudgetHolder {
    return {
      account: budgetAccountOf(org, caller.principal),
      stamps: stampsOf(caller, org),
      isStale: (stamps) => isStale(caller, org, stamps),
      refresh: async () => {
        this.attach(request, credential, await this.findAgain(credential));
        return budgetHolderOf(request)!;
      },
    };
  }
}

/** Returns the caller of the outer request that this inner one belongs to. */
export function carriedTo(request: Request): CarriedCaller | undefined {
  const caller = innerOriginOf(request)?.caller;
  return caller instanceof CarriedCaller ? caller : undefined;
}

/** @throws {KeyOrgMismatch} `key_org_mismatch`, {OrgAccessDenied} `org_access_denied` */
function orgOf(request: Request, principal: Principal): OrgMembership {
  const idOrSlug = request.headers[ORG_HEADER];
  return principal.orgOf(typeof idOrSlug === 'string' && idOrSlug !== '' ? idOrSlug : undefined);
}

/** @throws {IpNotAllowed} `ip_not_allowed` */
function requireAddress({ credential }: Principal, ip: string): void {
  if (credential.type !== 'api_key' || credential.allowedIps.length === 0) return;
  if (!credential.allowedIps.some((range) => isInRange(range, ip))) throw new IpNotAllowed(ip);
}

/**
 * Identifies a key independently of its secret, so that a retry can use a rotated one. Other keys of the user are other
 * callers, because a narrower key must not see the response to a wider one. All sessions of a user are one caller.
 */
function callerKeyOf({ principal: { user, credential }, org }: Call): string {
  return `${credential.type === 'api_key' ? credential.keyId : user.id}/${org.id}`;
}
