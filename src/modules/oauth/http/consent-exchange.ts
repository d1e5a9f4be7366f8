import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { stateOf } from '../../../platform/http/request-state.js';
import { type PageCaller, PageCallersService } from '../../auth/page-callers.service.js';
import { SecondFactorRequired, SignInFlowInvalid } from '../../auth/auth.errors.js';
import { SessionCookie } from '../../auth/session-cookie.js';
import type { Origin } from '../../auth/sessions.service.js';
import { SecondFactorSignInService } from '../../people/second-factor-sign-in.service.js';
import { SignInService } from '../../people/sign-in.service.js';
import { type ClientRequest, consentPage, messagePage, secondFactorPage, signInPage } from '../consent/consent-page.js';
import { ConsentsService } from '../consent/consents.service.js';
import { FormTokens } from '../consent/form-tokens.js';
import type { Page } from '../consent/page.js';
import { CONSENT_PATH } from '../domain/addresses.js';
import { ClientRequests } from './client-requests.js';
import { formOf } from './form-body.js';

const RECENT_MS = 15 * 60_000;

const EXPIRED = messagePage(
  'This request has expired',
  'Go back to the application and connect it again, in this browser.',
);
const BAD_FORM = messagePage('The form is no longer valid', 'Go back, load the page again, and answer once more.');
const UNVERIFIED = messagePage(
  'Verify your email address first',
  'Open the link in the message that was sent to you. Then load this page again.',
);
const NO_ORGANIZATION = messagePage(
  'You cannot connect applications',
  'Your role lets you create API keys in none of your organizations. Ask an owner for another role.',
);

/** The exchange with the person whom a client asks for access. */
@Injectable()
export class ConsentExchange {
  constructor(
    private readonly requests: ClientRequests,
    private readonly callers: PageCallersService,
    private readonly consents: ConsentsService,
    private readonly tokens: FormTokens,
    private readonly cookie: SessionCookie,
    private readonly signIns: SignInService,
    private readonly secondSteps: SecondFactorSignInService,
  ) {}

  async show(request: Request, response: Response): Promise<void> {
    const asked = await this.requests.find(request, response);
    if (asked === undefined) await send(response, EXPIRED, 400);
    else await this.ask(request, response, { asked, caller: await this.callerOf(request) });
  }

  signIn(request: Request, response: Response): Promise<void> {
    return this.openSession(request, response, (form, origin) => {
      const input = { login: form.get('login') ?? '', password: form.get('password') ?? '' };
      return this.signIns.signIn(input, origin);
    });
  }

  secondFactor(request: Request, response: Response): Promise<void> {
    return this.openSession(request, response, (form, origin) =>
      this.secondSteps.complete(form.get('flow') ?? '', { code: form.get('code') ?? '' }, origin),
    );
  }

  private async openSession(
    request: Request,
    response: Response,
    open: (form: URLSearchParams, origin: Origin) => Promise<{ readonly sessionToken: string }>,
  ): Promise<void> {
    const form = await this.formOf(request);
    if (form === undefined) return send(response, BAD_FORM, 403);
    const asked = await this.requests.find(request, response);
    if (asked === undefined) return send(response, EXPIRED, 400);
    if (!this.fits(request, { asked, form }, signInSubject(asked))) return send(response, BAD_FORM, 403);
    const origin = { ip: request.ip ?? '', userAgent: request.headers['user-agent'], inCookie: true };
    try {
      const { sessionToken } = await open(form, origin);
      this.cookie.set(response, sessionToken);
      response.redirect(303, `${CONSENT_PATH}/${asked.uid}`);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.help.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.help.retryAfterSeconds);
      await this.askAgain(request, response, { asked, error, flow: flowOf(error, form) });
    }
  }

  /** Shows the same form with what was wrong, or the second one after a right password. */
  private askAgain(request: Request, response: Response, { asked, error, flow }: Refused): Promise<void> {
    if (flow === undefined) return this.ask(request, response, { asked, fault: error.message, status: error.status });
    const isFirst = error instanceof SecondFactorRequired;
    const token = this.tokenFor(request, response, asked, signInSubject(asked));
    const page = secondFactorPage(asked, { token, fault: isFirst ? undefined : error.message }, flow);
    return send(response, page, isFirst ? 200 : error.status);
  }

  async answer(request: Request, response: Response): Promise<void> {
    const form = await this.formOf(request);
    if (form === undefined) return send(response, BAD_FORM, 403);
    const asked = await this.requests.find(request, response);
    if (asked === undefined) return send(response, EXPIRED, 400);
    const caller = await this.callerOf(request);
    if (caller === undefined) return this.ask(request, response, { asked });
    if (!this.fits(request, { asked, form }, consentSubject(asked, caller))) return send(response, BAD_FORM, 403);
    if (form.get('decision') === 'allow') return this.allow(request, response, { asked, caller, form });
    this.consents.noteDenial(asked);
    return this.requests.finish(request, response, {
      error: 'access_denied',
      error_description: 'The person denied access.',
    });
  }

  private async allow(request: Request, response: Response, { asked, caller, form }: Allowed): Promise<void> {
    const { principal } = caller;
    const choice = { orgIds: form.getAll('org'), scopes: form.getAll('scope') };
    const fault = this.consents.faultOf(principal, asked, choice);
    if (fault !== undefined || this.consents.needsVerification(principal))
      return this.ask(request, response, { asked, caller, fault, status: 400 });
    const { requestId } = stateOf(request);
    const call = { principal, org: principal.orgOf(choice.orgIds[0]), ip: request.ip ?? '', requestId };
    const grantId = await this.consents.allow(call, asked, choice);
    await this.requests.finish(request, response, {
      login: { accountId: principal.user.id, remember: false },
      consent: { grantId },
    });
  }

  /** Shows the page that the person has to fill in next. */
  private ask(request: Request, response: Response, { asked, caller, fault, status = 200 }: Question): Promise<void> {
    if (caller === undefined) {
      const token = this.tokenFor(request, response, asked, signInSubject(asked));
      return send(response, signInPage(asked, { token, fault }), status);
    }
    const { principal } = caller;
    if (this.consents.needsVerification(principal)) return send(response, UNVERIFIED, 403);
    const orgs = this.consents.orgsOf(principal);
    if (orgs.length === 0) return send(response, NO_ORGANIZATION, 403);
    const token = this.tokenFor(request, response, asked, consentSubject(asked, caller));
    return send(response, consentPage(asked, { principal, orgs }, { token, fault }), status);
  }

  private callerOf({ headers, ip }: Request): Promise<PageCaller | undefined> {
    return this.callers.find(headers.cookie, ip ?? '', RECENT_MS);
  }

  /** Returns undefined also for a form that a page of another origin sends. */
  private async formOf(request: Request): Promise<URLSearchParams | undefined> {
    try {
      this.cookie.requireSameOrigin(request);
    } catch {
      return undefined;
    }
    return formOf(request);
  }

  private fits({ headers }: Request, { asked, form }: Pick<Allowed, 'asked' | 'form'>, subject: string): boolean {
    return this.tokens.fits(this.tokens.secretIn(headers.cookie, asked.uid), subject, form.get('token') ?? '');
  }

  private tokenFor({ headers }: Request, response: Response, { uid }: ClientRequest, subject: string): string {
    const secret = this.tokens.secretIn(headers.cookie, uid) ?? this.tokens.createSecret();
    response.append('Set-Cookie', this.tokens.cookieOf(secret, uid));
    return this.tokens.of(secret, subject);
  }
}

interface Allowed {
  readonly asked: ClientRequest;
  readonly caller: PageCaller;
  readonly form: URLSearchParams;
}

interface Refused {
  readonly asked: ClientRequest;
  readonly error: DomainError;
  /** The sign-in that waits for a second factor. */
  readonly flow: string | undefined;
}

interface Question {
  readonly asked: ClientRequest;
  /** Undefined for a person who has to sign in first. */
  readonly caller?: PageCaller | undefined;
  readonly fault?: string | undefined;
  readonly status?: number;
}

/** The sign-in that goes on: one that has just begun, or that of the form, unless it is over. */
function flowOf(error: DomainError, form: URLSearchParams): string | undefined {
  if (error instanceof SecondFactorRequired) return (error.help.details as { token?: string } | undefined)?.token;
  return error instanceof SignInFlowInvalid ? undefined : (form.get('flow') ?? undefined);
}

const signInSubject = ({ uid }: ClientRequest): string => `sign-in ${uid}`;
const consentSubject = ({ uid }: ClientRequest, { sessionId }: PageCaller): string => `consent ${uid} ${sessionId}`;

function send(response: Response, { headers, html }: Page, status: number): Promise<void> {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.status(status).end(html);
  return Promise.resolve();
}
