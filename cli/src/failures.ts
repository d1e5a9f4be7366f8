import {
  AuthenticationError,
  AuthorizationError,
  ConflictError,
  InsufficientCreditsError,
  NotFoundError,
  RateLimitError,
  ServiceError,
  ValidationError,
} from '@service/client';
import { StreamBrokenError } from '@service/client/sandbox';

/** The exit codes of the command. `sandbox run` exits with the exit code of the program instead. */
export const EXIT = {
  ok: 0,
  otherError: 1,
  usage: 2,
  authentication: 3,
  authorization: 4,
  notFound: 5,
  invalidOrConflict: 6,
  rateLimited: 7,
  outOfCredits: 8,
  unreachable: 69,
  timedOut: 124,
  outOfMemory: 137,
} as const;

/** The arguments or files of the command are invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** There is no key for this service; no request was sent. */
export class NotLoggedIn extends Error {
  override readonly name = 'NotLoggedIn';

  constructor(url: string) {
    super(`There is no API key for ${url}.\nHint: Run "service login", or set SERVICE_API_KEY.`);
  }
}

/** The person has not let the command in. */
export class LoginDenied extends Error {
  override readonly name = 'LoginDenied';

  constructor() {
    super('You did not approve the login in the browser.\nHint: Run the command again, and approve it there.');
  }
}

/** The identity provider did not say who the person is. */
export class LoginNotProved extends Error {
  override readonly name = 'LoginNotProved';

  /** @param reason What the browser came back with. */
  constructor(reason: string) {
    super(
      reason === 'provider_unavailable'
        ? 'The identity provider did not respond.\nHint: Run the command again in a moment.'
        : 'The identity provider did not say who you are.\nHint: Run the command again, or ask an administrator.',
    );
  }
}

/** Nobody has decided in the browser. */
export class LoginTimedOut extends Error {
  override readonly name = 'LoginTimedOut';

  constructor() {
    super('The login was not approved in time.\nHint: Run the command again, and approve it in the browser.');
  }
}

/** The reader of our output may stop early, as `head` does. */
export const isUnread = (error: unknown): boolean => (error as NodeJS.ErrnoException | undefined)?.code === 'EPIPE';

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof LoginDenied || error instanceof LoginNotProved) return EXIT.authentication;
  if (error instanceof LoginTimedOut) return EXIT.timedOut;
  if (error instanceof NotLoggedIn || error instanceof AuthenticationError) return EXIT.authentication;
  if (error instanceof AuthorizationError) return EXIT.authorization;
  if (error instanceof NotFoundError) return EXIT.notFound;
  if (error instanceof ValidationError || error instanceof ConflictError) return EXIT.invalidOrConflict;
  if (error instanceof RateLimitError) return EXIT.rateLimited;
  if (error instanceof InsufficientCreditsError) return EXIT.outOfCredits;
  return isUnreachable(error) || error instanceof StreamBrokenError ? EXIT.unreachable : EXIT.otherError;
}

/** Describes the error for people: what is wrong, what to do next, and where to read more. */
export function textOf(error: unknown, url: string): string {
  if (isUnreachable(error))
    return (
      `${url} cannot be reached: ${causeOf(error)}\n` +
      'Hint: Start the service there, or name another address with SERVICE_URL or --url.'
    );
  if (!(error instanceof Error)) return String(error);
  return [error.message, ...faultsOf(error), ...upgradeOf(error)].join('\n');
}

/** Describes the error for programs, printed with `--json`. */
export function jsonOf(error: unknown, url: string): object {
  if (error instanceof ServiceError) return { error };
  return { error: { name: error instanceof Error ? error.name : 'Error', message: textOf(error, url) } };
}

/** `fetch` throws a TypeError when the address cannot be reached or the connection breaks. */
function isUnreachable(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof ServiceError) return false;
  return (
    error.name === 'TimeoutError' || (error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message))
  );
}

function causeOf(error: Error): string {
  const { code, message } = (error.cause ?? {}) as { code?: string; message?: string };
  return code ?? message ?? error.message;
}

/** The message names only the first invalid field; this lists the others. */
function faultsOf(error: Error): string[] {
  if (!(error instanceof ValidationError) || !Array.isArray(error.details)) return [];
  return (error.details as { message?: string }[]).flatMap(({ message }) =>
    message === undefined || error.message.includes(message) ? [] : [`  ${message}`],
  );
}

function upgradeOf(error: Error): string[] {
  return error instanceof RateLimitError || error instanceof InsufficientCreditsError
    ? [`Upgrade: ${error.upgradeUrl}`]
    : [];
}
