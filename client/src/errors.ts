/** What an answer that is not a success tells, in the names of the error classes. */
export interface ErrorFacts {
  readonly message: string;
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly details?: unknown;
  readonly retryAfter?: number | undefined;
  readonly hint?: string | undefined;
  readonly dashboardUrl?: string | undefined;
  readonly docsUrl?: string | undefined;
  readonly upgradeUrl: string;
  readonly requestId?: string | undefined;
}

/**
 * Base of every error that the API answered with. Branch on the class, the most specific first, and fall back to this.
 *
 * What never reached the API or got no answer (no network, a time-out, an abort) is not one of these: it reaches the
 * caller as the same object that `fetch` or the signal gave.
 */
export class ServiceError extends Error {
  static {
    // On the prototype and in words, because bundlers rename classes.
    this.prototype.name = 'ServiceError';
  }

  /** HTTP status code. */
  readonly status: number;
  /** Category, such as `auth_error` or `validation_error`. */
  readonly type: string;
  /**
   * For programs, such as `invalid_api_key`; each has a page, see {@link docsUrl}. `http_<status>` where something
   * other than the API answered.
   */
  readonly code: string;
  /** Facts of this code; for a {@link ValidationError} one row per field. */
  readonly details: unknown;
  /** Seconds to wait, where the answer said so: with 429, and with some 503. */
  readonly retryAfter: number | undefined;
  /** How to resolve it. */
  readonly hint: string | undefined;
  /** Where in the dashboard to settle it. */
  readonly dashboardUrl: string | undefined;
  /** Where it is explained. */
  readonly docsUrl: string | undefined;
  /** Quote it to support: it finds the call in the logs. */
  readonly requestId: string | undefined;

  constructor(facts: ErrorFacts) {
    super(messageOf(facts));
    this.status = facts.status;
    this.type = facts.type;
    this.code = facts.code;
    this.details = facts.details;
    this.retryAfter = facts.retryAfter;
    this.hint = facts.hint;
    this.dashboardUrl = facts.dashboardUrl;
    this.docsUrl = facts.docsUrl;
    this.requestId = facts.requestId;
  }

  /** All facts, for logs: `JSON.stringify` leaves out the message of an error otherwise. */
  toJSON(): object {
    const { name, message } = this;
    return Object.assign({ name, message }, this);
  }
}

/** 401: the key is missing, malformed, unknown, expired, revoked or rotated, or is a session token. */
export class AuthenticationError extends ServiceError {
  static {
    this.prototype.name = 'AuthenticationError';
  }
}

/** 403: the key is valid and may not do this; `details` names the missing scope or the organization. */
export class AuthorizationError extends ServiceError {
  static {
    this.prototype.name = 'AuthorizationError';
  }
}

/** 402: the account is out of credits. */
export class InsufficientCreditsError extends ServiceError {
  static {
    this.prototype.name = 'InsufficientCreditsError';
  }

  /** Where to get more: what the API says, else the page of the plans. */
  readonly upgradeUrl: string;

  constructor(facts: ErrorFacts) {
    super(facts);
    this.upgradeUrl = facts.upgradeUrl;
  }
}

/** 404: it does not exist, was deleted, or belongs to an organization that you have no part in. */
export class NotFoundError extends ServiceError {
  static {
    this.prototype.name = 'NotFoundError';
  }
}

/** 400: the request is not valid; `details` has a row for every field at fault. */
export class ValidationError extends ServiceError {
  static {
    this.prototype.name = 'ValidationError';
  }
}

/**
 * 429, after the retries: too many calls at once, or those of the day are used up (`code` and `details.policy` say
 * which).
 */
export class RateLimitError extends ServiceError {
  static {
    this.prototype.name = 'RateLimitError';
  }

  /** Where a larger budget is to be had: what the API says, else the page of the plans. */
  readonly upgradeUrl: string;

  constructor(facts: ErrorFacts) {
    super(facts);
    this.upgradeUrl = facts.upgradeUrl;
  }
}

/** 409: the request conflicts with the state of things: a taken name, a claimed task, a duplicate. */
export class ConflictError extends ServiceError {
  static {
    this.prototype.name = 'ConflictError';
  }
}

/** An answer as it came, before anybody has decided what it means. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty when there was none, or when it broke off. */
  readonly text: string;
}

const CLASS_BY_STATUS: Readonly<Record<number, { readonly type: string; readonly Class: typeof ServiceError }>> = {
  400: { type: 'validation_error', Class: ValidationError },
  401: { type: 'auth_error', Class: AuthenticationError },
  402: { type: 'insufficient_credits_error', Class: InsufficientCreditsError },
  403: { type: 'authorization_error', Class: AuthorizationError },
  404: { type: 'not_found_error', Class: NotFoundError },
  409: { type: 'conflict_error', Class: ConflictError },
  429: { type: 'rate_limit_error', Class: RateLimitError },
};

const OTHER = { type: 'api_error', Class: ServiceError };

/** Reads a failed answer, whoever wrote it: proxies answer in HTML, with nothing, or with JSON of their own. */
export function errorFrom(answer: RawAnswer, retryAfter: number | undefined, pricingUrl: string): ServiceError {
  const { type, Class } = CLASS_BY_STATUS[answer.status] ?? OTHER;
  const body = membersOf(parsed(answer.text));
  const error = membersOf(body['error']);
  return new Class({
    message: textOf(error['message']) ?? foreignMessage(answer, body),
    status: answer.status,
    type: textOf(error['type']) ?? type,
    code: textOf(error['code']) ?? `http_${answer.status}`,
    details: error['details'],
    retryAfter,
    hint: textOf(error['hint']),
    dashboardUrl: textOf(error['dashboard_url']),
    docsUrl: textOf(error['docs_url']),
    upgradeUrl: textOf(error['upgrade_url']) ?? pricingUrl,
    requestId: requestIdOf(answer, body),
  });
}

/** A success that is none: most often the address is not that of the API, or a proxy put a page in between. */
export function unreadableAnswer(answer: RawAnswer, pricingUrl: string): ServiceError {
  return new ServiceError({
    message: `The answer with status ${answer.status} is not one of the API's: ${kindOf(answer)}. Does baseUrl lead to the API, and does a proxy stand between?`,
    status: answer.status,
    type: OTHER.type,
    code: 'unreadable_answer',
    upgradeUrl: pricingUrl,
    requestId: requestIdOf(answer, {}),
  });
}

/** The seconds that the body of an error asks to wait, for answers whose headers were lost on the way. */
export function retryAfterInBody(text: string): number | undefined {
  const seconds = membersOf(membersOf(parsed(text))['error'])['retry_after'];
  return typeof seconds === 'number' && seconds >= 0 ? seconds : undefined;
}

/** The JSON in a text, undefined when there is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function messageOf({ message, hint, dashboardUrl, docsUrl }: ErrorFacts): string {
  return [
    message,
    ...(hint === undefined ? [] : [`Hint: ${hint}`]),
    ...(dashboardUrl === undefined ? [] : [`Dashboard: ${dashboardUrl}`]),
    ...(docsUrl === undefined ? [] : [`Docs: ${docsUrl}`]),
  ].join('\n');
}

function foreignMessage(answer: RawAnswer, body: Readonly<Record<string, unknown>>): string {
  const theirs = textOf(body['message']) ?? textOf(body['error']) ?? textOf(body['detail']);
  return `The call was answered with status ${answer.status}${theirs === undefined ? ` and ${kindOf(answer)}` : `: ${theirs}`}`;
}

function kindOf({ headers, text }: RawAnswer): string {
  return text === '' ? 'an empty body' : `a body of type ${headers.get('content-type') ?? 'unknown'}`;
}

function requestIdOf({ headers }: RawAnswer, body: Readonly<Record<string, unknown>>): string | undefined {
  return headers.get('x-request-id') ?? textOf(membersOf(body['meta'])['request_id']);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
