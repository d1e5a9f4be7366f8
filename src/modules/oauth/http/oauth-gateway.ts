import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { type AttemptRule, AttemptsService } from '../../auth/attempts.service.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import { requestedScopesOf } from '../domain/grantable-scopes.js';
import { OauthProvider } from '../provider/oauth-provider.js';

/**
 * Each request for authorization is kept for a quarter of an hour, and may fetch a document. It comes from the browser
 * of a person, whatever the client is, and a company can have one address for all of its people.
 */
const REQUESTS: AttemptRule = { name: 'oauth_request', attempts: 300, periodSeconds: 600, Refusal: TooManyAttempts };
/** One address may speak for all people who use a hosted client. */
const TOKENS: AttemptRule = { name: 'oauth_token', attempts: 1_200, periodSeconds: 60, Refusal: TooManyAttempts };
/** Other parameters of OpenID Connect have no meaning here. */
const KNOWN = [
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
];

/** Passes requests to the authorization server, as requests to the public address of this service. */
@Injectable()
export class OauthGateway {
  constructor(
    private readonly config: Config,
    private readonly provider: OauthProvider,
    private readonly attempts: AttemptsService,
  ) {}

  /** @throws {TooManyAttempts} `burst_limit_exceeded` */
  async authorize(request: Request, response: Response): Promise<void> {
    await this.attempts.countAddress(REQUESTS, request.ip ?? '');
    const sent = new URL(request.url, this.config.publicUrl).searchParams;
    const passed = new URLSearchParams();
    for (const name of KNOWN) for (const value of sent.getAll(name)) passed.append(name, value);
    // A client that asks for silence gets an error, because a person always answers.
    if (sent.get('prompt') === 'none') passed.set('prompt', 'none');
    passed.set('scope', requestedScopesOf(sent.get('scope') ?? undefined).join(' '));
    request.url = `/oauth/authorize?${passed.toString()}`;
    await this.pass(request, response);
  }

  /** @throws {TooManyAttempts} `burst_limit_exceeded` */
  async token(request: Request, response: Response): Promise<void> {
    await this.attempts.countAddress(TOKENS, request.ip ?? '');
    await this.pass(request, response);
  }

  async pass(request: Request, response: Response): Promise<void> {
    const { handle } = await this.provider.get();
    await handle(this.asPublic(request), response);
  }

  /** Addresses and attributes of cookies follow from the public address, and not from what a caller says. */
  asPublic(request: Request): Request {
    const { host, protocol } = new URL(this.config.publicUrl);
    delete request.headers['x-forwarded-host'];
    Object.assign(request.headers, { host, 'x-forwarded-proto': protocol.slice(0, -1) });
    return request;
  }
}
