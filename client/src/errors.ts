/** The contents of an error response, with the field names of the error classes. */
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
 * The base class of every error that the API returns. Check the class, the most specific first, and fall back to this.
 *
 * A call without a response (no network, a time-out, an abort) does not throw one of these. It throws the object that
 * `fetch` or the signal gave.
 */
export class ServiceError extends Error {
  static {
    // The name is a literal on the prototype, because bundlers rename classes.
    this.prototype.name = 'ServiceError';
  }

  /** HTTP status code. */
  readonly status: number;
  /** Category, such as `auth_error` or `validation_error`. */
  readonly type: string;
  /**
   * The code for programs, such as `invalid_api_key`; {@link docsUrl} is its page. A response that is not from the API
   * has `http_<status>`.
   */
  readonly code: string;
  /** Details of this code; a {@link ValidationError} has one row for each field. */
  readonly details: unknown;
  /** Seconds to wait, which 429 and some 503 responses contain. */
  readonly retryAfter: number | undefined;
  /** How to resolve the error. */
  readonly hint: string | undefined;
  /** The page of the dashboard where it can be resolved. */
  readonly dashboardUrl: string | undefined;
  /** The page that explains the code. */
  readonly docsUrl: string | undefined;
  /** The id that finds the call in the logs. Quote it to support. */
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

  /** All fields, for logs. By default, `JSON.stringify` leaves out the message of an error. */
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

/** 403: the key is valid but may not do this; `details` names the missing scope or the organization. */
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

  /** Where to get more credits: the address in the response, or else the page of the plans. */
  readonly upgradeUrl: string;

  constructor(facts: ErrorFacts) {
    super(facts);
    this.upgradeUrl = facts.upgradeUrl;
  }
}

/** 404: it does not exist, was deleted, or belongs to an organization that you are not a member of. */
export class NotFoundError extends ServiceError {
  static {
    this.prototype.name = 'NotFoundError';
  }
}

/** 400: the request is not valid; `details` has a row for every invalid field. */
export class ValidationError extends ServiceError {
  static {
    this.prototype.name = 'ValidationError';
  }
}

/**
 * 429, after the retries: there were too many calls at once, or the daily calls are used up. `code` and
 * `details.policy` say which.
 */
export class RateLimitError extends ServiceError {
  static {
    this.prototype.name = 'RateLimitError';
  }

  /** Where to get a larger budget: the address in the response, or else the page of the plans. */
  readonly upgradeUrl: string;

  constructor(facts: ErrorFacts) {
    super(facts);
    this.upgradeUrl = facts.upgradeUrl;
  }
}

/** 409: the request conflicts with the current state: a taken name, a claimed task, a duplicate. */
export class ConflictError extends ServiceError {
  static {
    this.prototype.name = 'ConflictError';
  }
}

/** A response as it arrived, before it is parsed. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body, which is empty if there was none or the connection broke. */
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

/** Parses an error response of any origin: proxies send HTML, nothing, or their own JSON. */
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

/** The error for a success without our JSON. Usually `baseUrl` is wrong, or a proxy inserted a page. */
export function unreadableAnswer(answer: RawAnswer, pricingUrl: string): ServiceError {
  return new ServiceError({
    message:
      `The response with status ${answer.status} is not from the API: it has ${kindOf(answer)}. ` +
      'Check baseUrl and any proxy in between.',
    status: answer.status,
    type: OTHER.type,
    code: 'unreadable_answer',
    upgradeUrl: pricingUrl,
    requestId: requestIdOf(answer, {}),
  });
}

/** Returns the seconds to wait from the body, for responses whose headers were lost on the way. */
export function retryAfterInBody(text: string): number | undefined {
  const seconds = membersOf(membersOf(parsed(text))['error'])['retry_after'];
  return typeof seconds === 'number' && seconds >= 0 ? seconds : undefined;
}

/** Returns undefined when the text is not JSON. */
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
  return theirs === undefined
    ? `The call failed with status ${answer.status} and ${kindOf(answer)}`
    : `The call failed with status ${answer.status}: ${theirs}`;
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
