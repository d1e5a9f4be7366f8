import { type CanActivate, type ExecutionContext, Inject, Injectable, Optional } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { isApiCall } from '../../../platform/http/api-path.js';
import { RouteMetadata } from '../../../platform/http/route-metadata.js';
import { AccessTokens } from '../access-tokens.js';
import { ApiKeyMissing, RefusedWithChallenge, SessionRequired, SessionTokenNotAllowed } from '../auth.errors.js';
import { isApiKey } from '../callers/authenticator.service.js';
import {
  RequireScope,
  type ScopeRule,
  type SessionRule,
  takesOnlySessions,
  TakesAccessToken,
  TakesPassword,
  TakesSession,
} from '../require-scope.js';
import { AccessMetrics } from './access.metrics.js';
import { callOf } from '../caller.js';
import { SessionCookie } from '../session-cookie.js';
import { type CarriedCaller, NarrowedToOrg } from '../carried-caller.js';
import { CallAdmission, carriedTo } from './call-admission.js';
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
  private readonly accessTokens: RouteMetadata<true>;
  private readonly narrowings: RouteMetadata<string>;

  constructor(
    reflector: Reflector,
    private readonly admission: CallAdmission,
    private readonly metrics: AccessMetrics,
    private readonly cookie: SessionCookie,
    @Optional() @Inject(AccessTokens) private readonly tokens?: AccessTokens,
  ) {
    this.rules = new RouteMetadata(reflector, RequireScope);
    this.sessions = new RouteMetadata(reflector, TakesSession);
    this.accessTokens = new RouteMetadata(reflector, TakesAccessToken);
    this.passwords = new RouteMetadata(reflector, TakesPassword);
    this.narrowings = new RouteMetadata(reflector, NarrowedToOrg);
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const carried = carriedTo(request);
    if (this.rules.of(context) === undefined) {
      return isApiCall(request) && (carried !== undefined || showsCredential(request) || this.cookie.isUsedBy(request))
        ? this.admission.admitIfKnown(request).then(() => true)
        : true;
    }
    if (carried === undefined && this.tokens !== undefined && this.accessTokens.of(context) === true)
      return this.admitClient(context, request, this.tokens);
    try {
      const admitted =
        carried === undefined ? this.admitCaller(context, request) : this.admitInner(context, request, carried);
      return admitted === true ? true : admitted.catch((error: unknown) => this.refuse(error));
    } catch (error) {
      return this.refuse(error);
    }
  }

  private admitCaller(context: ExecutionContext, request: Request): true | Promise<true> {
    if (this.cookie.isUsedBy(request)) return this.admitPage(context, request);
    const password = this.passwords.of(context) === undefined ? undefined : passwordOf(request);
    const token = tokenOf(password ?? credentialOf(request), this.sessions.of(context));
    return this.admission.admit(request, token, this.narrowingOf(context, request));
  }

  /** Admits a call inside of the process as a call with the credential of the outer one. */
  private admitInner(
    context: ExecutionContext,
    request: Request,
    { credential, onlyOrg }: CarriedCaller,
  ): true | Promise<true> {
    const rule = this.sessions.of(context);
    if (typeof credential === 'string')
      return this.admission.admit(request, tokenOf({ kind: 'token', token: credential }, rule), onlyOrg);
    // An access token stands for a key.
    if (takesOnlySessions(rule)) throw new SessionRequired();
    return this.admission.admit(request, credential, onlyOrg);
  }

  /** Admits a client of OAuth, and leads every other caller who is refused to where a client gets an access token. */
  private async admitClient(context: ExecutionContext, request: Request, tokens: AccessTokens): Promise<true> {
    try {
      const sent = this.cookie.isUsedBy(request) ? undefined : credentialOf(request);
      if (sent?.kind !== 'token' || !isJwt(sent.token)) return await this.admitCaller(context, request);
      const grant = await tokens.read(sent.token);
      return await this.admission.admit(request, grant, this.narrowingOf(context, request));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.metrics.refused(error.code);
      throw error.status === 401 ? new RefusedWithChallenge(error, tokens.challengeFor(error.code)) : error;
    }
  }

  /** A parameter that is given twice is refused by the route itself. */
  private narrowingOf(context: ExecutionContext, { query }: Request): string | undefined {
    const parameter = this.narrowings.of(context);
    const value = parameter === undefined ? undefined : query[parameter];
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  /** Admits a page of this service with the session in its cookie. */
  private async admitPage(context: ExecutionContext, request: Request): Promise<true> {
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
