import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { AuthSettings } from '../auth.settings.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { RouteMetadata } from '../../../platform/http/route-metadata.js';
import { Clock } from '../../../platform/time/clock.js';
import { EmailNotVerified } from '../access.errors.js';
import { RecentSignInRequired } from '../auth.errors.js';
import { callOf, refusalOf } from '../caller.js';
import type { Principal } from '../principal.js';
import { RequireScope, type ScopeRule } from '../require-scope.js';
import { RECENT_SIGN_IN_MS, RequireRecentSignIn } from '../require-recent-sign-in.js';
import { RequireVerifiedEmail } from '../require-verified-email.js';
import { hasSecondFactor } from '../sign-in-method.js';
import { AccessMetrics } from './access.metrics.js';

/** Checks permissions. It runs after the call was counted, when the caller is known to be current. */
@Injectable()
export class ScopeGuard implements CanActivate {
  private readonly rules: RouteMetadata<ScopeRule>;
  private readonly verified: RouteMetadata<true>;
  private readonly recent: RouteMetadata<true>;

  constructor(
    reflector: Reflector,
    private readonly metrics: AccessMetrics,
    private readonly settings: AuthSettings,
    private readonly clock: Clock,
  ) {
    this.rules = new RouteMetadata(reflector, RequireScope);
    this.verified = new RouteMetadata(reflector, RequireVerifiedEmail);
    this.recent = new RouteMetadata(reflector, RequireRecentSignIn);
  }

  /**
   * @throws {IpNotAllowed} `ip_not_allowed`, {OrgAccessDenied} `org_access_denied`
   * @throws {KeyOrgMismatch} `key_org_mismatch`: the call names another organization than the key is bound to.
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {EmailNotVerified} `email_not_verified`
   * @throws {RecentSignInRequired} `recent_sign_in_required`
   */
  canActivate(context: ExecutionContext): boolean {
    try {
      return this.requireRights(context);
    } catch (error) {
      if (error instanceof DomainError) this.metrics.refused(error.code);
      throw error;
    }
  }

  private requireRights(context: ExecutionContext): boolean {
    const rule = this.rules.of(context);
    if (rule === undefined) return true;

    const request = context.switchToHttp().getRequest<Request>();
    const refusal = refusalOf(request);
    if (refusal !== undefined) throw refusal;
    const call = callOf(request);
    if (call === undefined)
      throw new Error(`${context.getClass().name} has no caller: the authentication guard did not run.`);
    const { principal, org } = call;
    const { org_id: idOrSlug } = request.params;
    if (typeof idOrSlug === 'string') principal.requireBinding(idOrSlug);
    if (rule.scope !== undefined) {
      if (rule.in === 'resource') principal.requireOfKey(rule.scope);
      else principal.require(rule.scope, org.id);
    }
    if (this.verified.of(context) === true && this.settings.needsVerification(principal.user.emailVerified))
      throw new EmailNotVerified();
    if (this.recent.of(context) === true) this.requireRecentSignIn(principal);
    return true;
  }

  private requireRecentSignIn({ credential, user }: Principal): void {
    if (credential.type !== 'session') return;
    const earliest = this.clock.now().getTime() - RECENT_SIGN_IN_MS;
    const { signIn } = credential;
    const isRecent = signIn !== undefined && signIn.at.getTime() >= earliest;
    if (!isRecent || (user.hasSecondFactor && !hasSecondFactor(signIn.methods)))
      throw new RecentSignInRequired(user.hasSecondFactor);
  }
}
