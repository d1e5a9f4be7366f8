import { InsufficientCreditsError, RateLimitError, ServiceError } from '@service/client';
import type { ReactNode } from 'react';
import { isSignedOut, organizationWithSso } from '../api';
import { PATHS } from '../paths';
import { Copy } from './copy';

/** The first line is the message; the client adds hint and links below it for terminals. */
const messageOf = (error: unknown): string =>
  error instanceof ServiceError
    ? error.message.split('\n', 1)[0]!
    : error instanceof DOMException && error.name === 'TimeoutError'
      ? 'The service did not answer in time.'
      : error instanceof TypeError && /fetch|network|load/i.test(error.message)
        ? 'The service cannot be reached.'
        : error instanceof Error
          ? error.message
          : 'Something failed.';

/** An error where it happened: what is wrong, what to do, and what finds it in the logs. */
export function ErrorNote({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }): ReactNode {
  const known = error instanceof ServiceError ? error : undefined;
  const organization = organizationWithSso(error);
  return (
    <div role="alert" className="bg-bad-soft rounded-md p-3 text-left">
      <p className="text-bad font-medium break-words">{messageOf(error)}</p>
      {hintOf(error) !== undefined && <p className="mt-1 break-words">{hintOf(error)}</p>}
      <p className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1 empty:hidden">
        {onRetry !== undefined && (
          <button type="button" className="link min-h-6" onClick={onRetry}>
            Try again
          </button>
        )}
        {isSignedOut(error) && known?.code !== 'invalid_credentials' && (
          <a className="link min-h-6" href={PATHS.signIn} target="_blank" rel="noreferrer">
            Sign in in a new tab, then try again
          </a>
        )}
        {(error instanceof InsufficientCreditsError || error instanceof RateLimitError) && (
          <a className="link min-h-6" href={error.upgradeUrl} target="_blank" rel="noreferrer">
            See plans and prices
          </a>
        )}
        {organization !== undefined && (
          <a
            className="link min-h-6"
            href={`${PATHS.signInSso}?${new URLSearchParams({ org: organization }).toString()}`}
            target="_blank"
            rel="noreferrer"
          >
            Sign in with SSO in a new tab, then try again
          </a>
        )}
        {placeOf(known) !== undefined && (
          <a className="link min-h-6" href={known!.dashboardUrl} target="_blank" rel="noreferrer">
            Open {placeOf(known)}
          </a>
        )}
        {known?.docsUrl !== undefined && known.status !== 400 && (
          <a className="link min-h-6" href={`/docs/errors/${known.code}`} target="_blank" rel="noreferrer">
            What to do
          </a>
        )}
        {known?.requestId !== undefined && known.status >= 500 && (
          <span className="inline-flex items-center gap-1">
            <code className="font-mono text-xs">{known.requestId}</code>
            <Copy text={known.requestId} label="Copy the request id" />
          </span>
        )}
      </p>
    </div>
  );
}

/** The screens that errors lead to, by the end of their address. The link opens beside what was typed. */
const PLACES = [
  ['/billing', 'billing'],
  ['/usage', 'usage'],
  ['/keys', 'API keys'],
  ['/~/sso', 'single sign-on'],
  ['/account/security', 'security'],
] as const;

function placeOf(error: ServiceError | undefined): string | undefined {
  if (error === undefined || error.status === 401) return undefined;
  return PLACES.find(([end]) => error.dashboardUrl?.endsWith(end))?.[1];
}

/** A hint that names an endpoint is for programs; people have a screen for it. */
const NAMES_ENDPOINT = /\b(?:GET|POST|PUT|PATCH|DELETE) \/|\/api\/v\d/;

function hintOf(error: unknown): string | undefined {
  if (!(error instanceof ServiceError))
    return error instanceof TypeError ? 'Nothing that you typed is lost.' : undefined;
  const hint = NAMES_ENDPOINT.test(error.hint ?? '') ? undefined : error.hint;
  if (error.retryAfter !== undefined) return `${hint ?? ''} Try again ${inWords(error.retryAfter)}.`.trim();
  return hint;
}

function inWords(seconds: number): string {
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  if (seconds < 90) return words.format(Math.max(1, Math.ceil(seconds)), 'second');
  if (seconds < 5_400) return words.format(Math.ceil(seconds / 60), 'minute');
  return words.format(Math.ceil(seconds / 3_600), 'hour');
}
