import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { TrustedProxies } from '../../../platform/http/trusted-proxies.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { type AttemptRule, AttemptsService } from '../../auth/attempts.service.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import { HostingSettings } from '../hosting.settings.js';
import { AccessTokens } from '../protection/access-tokens.js';
import { ProtectionsService } from '../protections.service.js';
import { askForAccess } from './access-page.js';
import { ACCESS_PATH, Credentials, type GuardedPlace, localTarget, withoutToken } from './access-request.js';
import { keepPrivate } from './private-answer.js';
import { FormRefused, passwordFormOf } from './password-form.js';

const DAY_SECONDS = 86_400;
const SESSION_SECONDS = 7 * DAY_SECONDS;

/** One visitor, and all visitors of a project together, so that many addresses cannot guess faster. */
const BY_VISITOR: AttemptRule = {
  name: 'app_password',
  attempts: 10,
  periodSeconds: 900,
  Refusal: TooManyAttempts,
};
const BY_PROJECT: AttemptRule = {
  name: 'app_password_project',
  attempts: 300,
  periodSeconds: 900,
  Refusal: TooManyAttempts,
};

/** Lets visitors into protected hosts, before any file, server or upgrade of the app answers. */
@Injectable()
export class AccessGate {
  constructor(
    private readonly settings: HostingSettings,
    private readonly proxies: TrustedProxies,
    private readonly tokens: AccessTokens,
    private readonly protections: ProtectionsService,
    private readonly attempts: AttemptsService,
  ) {}

  /**
   * Returns true when the visitor may see the app. The request then no longer carries what opened the host, and no
   * shared cache may store the answer. Otherwise it has been answered here.
   */
  async admits(request: IncomingMessage, response: ServerResponse, place: GuardedPlace): Promise<boolean> {
    const { url = '/', method } = request;
    if (method === 'POST' && url === ACCESS_PATH) {
      await this.takePassword(request, response, place);
      return false;
    }
    const link = Credentials.linkOf(url);
    if (link !== undefined && (method === 'GET' || method === 'HEAD')) {
      const until = this.tokens.opens('l', link, tokenPlaceOf(place));
      if (until === undefined) askForAccess(request, response, { place, fact: 'link_expired' });
      else this.letIn(request, response, { place, until, to: withoutToken(url) });
      return false;
    }
    if (this.holdsAccess(request, place)) {
      keepPrivate(response);
      return true;
    }
    askForAccess(request, response, { place, fact: 'protected' });
    return false;
  }

  /** True when the request carries a valid cookie or token. It then no longer carries it. */
  holdsAccess(request: IncomingMessage, place: GuardedPlace): boolean {
    const credentials = new Credentials(request, this.isSecure(request));
    const at = tokenPlaceOf(place);
    const isOpen =
      credentials.cookies.some((cookie) => this.tokens.opens('c', cookie, at) !== undefined) ||
      (credentials.header !== undefined && this.tokens.opens('l', credentials.header, at) !== undefined);
    if (isOpen) credentials.remove();
    return isOpen;
  }

  private async takePassword(request: IncomingMessage, response: ServerResponse, place: GuardedPlace): Promise<void> {
    const { passwordHash, projectId } = place.guard;
    try {
      const { password, to } = await passwordFormOf(request);
      if (passwordHash === null) {
        askForAccess(request, response, { place, fact: 'protected' });
        return;
      }
      const { network } = clientAddressOf(this.proxies.chainOf(request)[0]);
      await this.attempts.count(BY_VISITOR, `${projectId}/${network}`);
      await this.attempts.count(BY_PROJECT, projectId);
      const target = localTarget(to);
      if (await this.protections.matches(passwordHash, password))
        this.letIn(request, response, { place, until: this.tokens.nowSeconds + SESSION_SECONDS, to: target });
      else askForAccess(request, response, { place, fact: 'wrong_password', to: target });
    } catch (error) {
      if (error instanceof TooManyAttempts)
        askForAccess(request, response, {
          place,
          fact: 'too_many_attempts',
          retryAfterSeconds: error.help.retryAfterSeconds ?? 60,
        });
      else if (error instanceof FormRefused) askForAccess(request, response, { place, fact: 'bad_form' });
      else throw error;
    }
  }

  private letIn(
    request: IncomingMessage,
    response: ServerResponse,
    { place, until, to }: { place: GuardedPlace; until: number; to: string },
  ): void {
    const isSecure = this.isSecure(request);
    const cookie = [
      `${Credentials.cookieName(isSecure)}=${this.tokens.cookie(tokenPlaceOf(place), until)}`,
      'Path=/',
      `Max-Age=${Math.max(1, until - this.tokens.nowSeconds)}`,
      'HttpOnly',
      'SameSite=Lax',
      ...(isSecure ? ['Secure'] : []),
    ].join('; ');
    response.writeHead(303, {
      Location: to,
      'Set-Cookie': cookie,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'Content-Length': '0',
      // The rest of a form that was refused early must not be taken for the next request.
      ...(request.complete ? {} : { Connection: 'close' }),
    });
    response.end();
  }

  private isSecure(request: IncomingMessage): boolean {
    if (this.settings.appsUrl.scheme === 'https:') return true;
    return request.headers['x-forwarded-proto'] === 'https' && this.proxies.includes(request);
  }
}

const tokenPlaceOf = ({
  label,
  guard: { projectId, version },
}: GuardedPlace): { label: string; projectId: string; version: number } => ({ label, projectId, version });
