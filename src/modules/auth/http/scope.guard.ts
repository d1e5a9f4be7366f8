import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { AuthSettings } from '../auth.settings.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { RouteMetadata } from '../../../platform/http/route-metadata.js';
import { EmailNotVerified } from '../access.errors.js';
import { callOf, refusalOf } from '../caller.js';
import { RequireScope, type ScopeRule } from '../require-scope.js';
import { RequireVerifiedEmail } from '../require-verified-email.js';
import { AccessMetrics } from './access.metrics.js';

/** Checks permissions. It runs after the call was counted, when the caller is known to be current. */
@Injectable()
export class ScopeGuard implements CanActivate {
  private readonly rules: RouteMetadata<ScopeRule>;
  private readonly verified: RouteMetadata<true>;

  constructor(
    reflector: Reflector,
    private readonly metrics: AccessMetrics,
    private readonly settings: AuthSettings,
  ) {
    this.rules = new RouteMetadata(reflector, RequireScope);
    this.verified = new RouteMetadata(reflector, RequireVerifiedEmail);
  }

  /**
   * @throws {IpNotAllowed} `ip_not_allowed`, {OrgAccessDenied} `org_access_denied`
   * @throws {KeyOrgMismatch} `key_org_mismatch`: the call names another organization than the key is bound to.
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {EmailNotVerified} `email_not_verified`
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
    if (this.needsVerification(context) && !principal.user.emailVerified) throw new EmailNotVerified();
    return true;
  }

  private needsVerification(context: ExecutionContext): boolean {
    return this.settings.emailVerification === 'required' && this.verified.of(context) === true;
  }
}
