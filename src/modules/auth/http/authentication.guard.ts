import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { isApiCall } from '../../../platform/http/api-path.js';
import { RouteMetadata } from '../../../platform/http/route-metadata.js';
import { ApiKeyMissing, SessionRequired, SessionTokenNotAllowed } from '../auth.errors.js';
import { isApiKey } from '../callers/authenticator.service.js';
import {
  RequireScope,
  type ScopeRule,
  type SessionRule,
  takesOnlySessions,
  TakesPassword,
  TakesSession,
} from '../require-scope.js';
import { AccessMetrics } from './access.metrics.js';
import { callOf } from '../caller.js';
import { SessionCookie } from '../session-cookie.js';
import { CallAdmission } from './call-admission.js';
import { credentialOf, isJwt, passwordOf, type SentCredential } from './credential.js';

/**
 * Authenticates callers (service document §5). A public route requires no credential, but a key that is sent to it uses
 * the budget of its organization.
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
    private readonly cookie: SessionCookie,
  ) {
    this.rules = new RouteMetadata(reflector, RequireScope);
    this.sessions = new RouteMetadata(reflector, TakesSession);
    this.passwords = new RouteMetadata(reflector, TakesPassword);
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    if (this.rules.of(context) === undefined) {
      return isApiCall(request) && (showsCredential(request) || this.cookie.isUsedBy(request))
        ? this.admission.admitIfKnown(request).then(() => true)
        : true;
    }
    try {
      if (this.cookie.isUsedBy(request))
        return this.admitPage(context, request).catch((error: unknown) => this.refuse(error));
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

  /** Admits a page of this service with the session in its cookie. */
  private async admitPage(context: ExecutionContext, request: Request): Promise<boolean> {
    const token = this.cookie.tokenOf(request);
    const rule = this.sessions.of(context);
    if (rule === 'never') throw new SessionTokenNotAllowed();
    if (token === undefined) throw new SessionRequired();
    await this.admission.admit(request, token);
    if (rule === 'only_token') throw new SessionRequired();
    const credential = callOf(request)?.principal.credential;
    if (credential?.type === 'session' && credential.prolonged)
      this.cookie.set(context.switchToHttp().getResponse<Response>(), token);
    return true;
  }

  private refuse(error: unknown): never {
    if (error instanceof DomainError) this.metrics.refused(error.code);
    throw error;
  }
}

const showsCredential = ({ headers }: Request): boolean =>
  headers.authorization !== undefined || headers['x-api-key'] !== undefined;

function tokenOf(sent: SentCredential, sessions: SessionRule | undefined): string {
  if (sent.kind === 'cookie') throw new SessionTokenNotAllowed();
  if (sent.kind === 'none') throw takesOnlySessions(sessions) ? new SessionRequired() : new ApiKeyMissing();
  const { token } = sent;
  const takesSession = takesOnlySessions(sessions) || sessions === 'or_key';
  if (takesOnlySessions(sessions) && isApiKey(token)) throw new SessionRequired();
  if ((!takesSession && token.startsWith('svc_sess_')) || isJwt(token)) throw new SessionTokenNotAllowed();
  return token;
}
