import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { isApiCall } from '../../../platform/http/api-path.js';
import { RouteMetadata } from '../../../platform/http/route-metadata.js';
import { ApiKeyMissing, SessionRequired, SessionTokenNotAllowed } from '../auth.errors.js';
import { isApiKey } from '../callers/authenticator.service.js';
import { RequireScope, type ScopeRule, type SessionRule, TakesPassword, TakesSession } from '../require-scope.js';
import { AccessMetrics } from './access.metrics.js';
import { CallAdmission } from './call-admission.js';
import { credentialOf, isJwt, passwordOf, type ShownCredential } from './credential.js';

/**
 * Finds out who calls (service document §5). A route that is open to everybody asks for nothing, but a key that is
 * shown there all the same has its organization's budget.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  private readonly rules: RouteMetadata<ScopeRule>;
  private readonly sessions: RouteMetadata<SessionRule>;
  private readonly passwords: RouteMetadata<true>;

  constructor(
    reflector: Reflector,
    private readonly admission: CallAdmission,
    private readonly metrics: AccessMetrics,
  ) {
    this.rules = new RouteMetadata(reflector, RequireScope);
    this.sessions = new RouteMetadata(reflector, TakesSession);
    this.passwords = new RouteMetadata(reflector, TakesPassword);
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    if (this.rules.of(context) === undefined) {
      return isApiCall(request) && showsCredential(request)
        ? this.admission.admitIfKnown(request).then(() => true)
        : true;
    }
    try {
      const password = this.passwords.of(context) === undefined ? undefined : passwordOf(request);
      const admitted = this.admission.admit(
        request,
        tokenOf(password ?? credentialOf(request), this.sessions.of(context)),
      );
      return admitted === true ? true : admitted.catch((error: unknown) => this.refuse(error));
    } catch (error) {
      return this.refuse(error);
    }
  }

  private refuse(error: unknown): never {
    if (error instanceof DomainError) this.metrics.refused(error.code);
    throw error;
  }
}

const showsCredential = ({ headers }: Request): boolean =>
  headers.authorization !== undefined || headers['x-api-key'] !== undefined;

function tokenOf(shown: ShownCredential, sessions: SessionRule | undefined): string {
  if (shown.kind === 'cookie') throw new SessionTokenNotAllowed();
  if (shown.kind === 'none') throw sessions === 'only' ? new SessionRequired() : new ApiKeyMissing();
  const { token } = shown;
  const takesSession = sessions === 'only' || sessions === 'or_key';
  if (sessions === 'only' && isApiKey(token)) throw new SessionRequired();
  if ((!takesSession && token.startsWith('svc_sess_')) || isJwt(token)) throw new SessionTokenNotAllowed();
  return token;
}
