import type { IncomingMessage, ServerResponse } from 'node:http';
import { escapeHtml } from '../../../platform/text/escape-html.js';
import { ACCESS_PATH, type GuardedPlace, localTarget } from './access-request.js';
import { pageWith } from './error-pages.js';

type Fact = 'protected' | 'link_expired' | 'wrong_password' | 'too_many_attempts' | 'bad_form';

const PASSWORD_LIFE = 'Enter its password, or ask its owner for a link.';
const FACTS: Readonly<Record<Fact, { readonly status: number; readonly title: string; readonly text?: string }>> = {
  protected: { status: 401, title: 'This deploy is protected' },
  link_expired: { status: 401, title: 'This link is no longer valid' },
  wrong_password: { status: 401, title: 'Wrong password', text: 'Try again, or ask its owner for a link.' },
  too_many_attempts: { status: 429, title: 'Too many attempts', text: 'Wait a while, then try again.' },
  bad_form: { status: 400, title: 'Bad request', text: 'The form could not be read. Load the page again.' },
};

/** Answers a visitor who may not see the app, with a form where a password opens it. */
export function askForAccess(
  request: IncomingMessage,
  response: ServerResponse,
  {
    place: { guard },
    fact,
    to = localTarget(request.url ?? '/'),
    retryAfterSeconds,
  }: {
    readonly place: GuardedPlace;
    readonly fact: Fact;
    readonly to?: string;
    readonly retryAfterSeconds?: number;
  },
): void {
  const { status, title, text } = FACTS[fact];
  const takesPassword = guard.mode === 'password';
  const advice = takesPassword ? PASSWORD_LIFE : 'Ask a member of its organization for a link.';
  const form = takesPassword && fact !== 'too_many_attempts' && fact !== 'bad_form' ? formTo(to) : '';
  const page = Buffer.from(pageWith(title, text ?? advice, `${status} ${fact}`, form));
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': page.length,
    'Cache-Control': 'private, no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ...(status === 401 ? { 'WWW-Authenticate': 'Form' } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': retryAfterSeconds }),
    // What is left of the body must not be taken for the next request.
    ...(request.complete ? {} : { Connection: 'close' }),
  });
  response.end(page);
}

const formTo = (to: string): string =>
  `<form method="post" action="${ACCESS_PATH}"><input type="hidden" name="to" value="${escapeHtml(to)}">` +
  '<p><label>Password <input type="password" name="password" required maxlength="128" autofocus ' +
  'autocomplete="current-password"></label> <button>Continue</button></p></form>';
