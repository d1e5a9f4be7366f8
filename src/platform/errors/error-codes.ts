/** Each category of error and the class of the client library that stands for it (service document §7). */
export const ERROR_TYPES = [
  'validation_error',
  'auth_error',
  'insufficient_credits_error',
  'authorization_error',
  'not_found_error',
  'conflict_error',
  'rate_limit_error',
  'api_error',
] as const;

export type ErrorType = (typeof ERROR_TYPES)[number];

interface ErrorFacts {
  readonly type: ErrorType;
  readonly status: number;
  /** One line for lists; the page `docs/errors/<code>.md` has the cause and the fix. */
  readonly title: string;
}

/**
 * Every error code that can leave the API. A code is never reused for another meaning.
 *
 * The page per code, the OpenAPI schema and the client are made from this list or checked against it.
 */
export const ERROR_CODES = {
  invalid_request: { type: 'validation_error', status: 400, title: 'A field of the request is not valid.' },
  malformed_json: { type: 'validation_error', status: 400, title: 'The request body is not JSON that can be read.' },
  malformed_request: { type: 'validation_error', status: 400, title: 'The request is not valid HTTP.' },
  invalid_token: { type: 'auth_error', status: 401, title: 'The bearer token is not the one that is set.' },
  route_not_found: { type: 'not_found_error', status: 404, title: 'There is no such endpoint.' },
  page_not_found: { type: 'not_found_error', status: 404, title: 'There is no such page.' },
  method_not_allowed: { type: 'api_error', status: 405, title: 'The endpoint does not take this method.' },
  request_timeout: { type: 'api_error', status: 408, title: 'The request did not arrive in time.' },
  payload_too_large: { type: 'api_error', status: 413, title: 'The request body is too large.' },
  unsupported_media_type: { type: 'api_error', status: 415, title: 'The request body must be JSON.' },
  headers_too_large: { type: 'api_error', status: 431, title: 'The request headers are too large.' },
  burst_limit_exceeded: { type: 'rate_limit_error', status: 429, title: 'Too many calls at once.' },
  daily_limit_exceeded: { type: 'rate_limit_error', status: 429, title: 'The calls of this day are used up.' },
  concurrency_limit_exceeded: { type: 'rate_limit_error', status: 429, title: 'Too much going on at once.' },
  sandbox_daily_limit_exceeded: {
    type: 'rate_limit_error',
    status: 429,
    title: 'The anonymous sandbox runs of this day are used up.',
  },
  internal_error: { type: 'api_error', status: 500, title: 'Something went wrong on our side.' },
  service_unavailable: { type: 'api_error', status: 503, title: 'A part that this call needs is away.' },
  sandbox_unavailable: { type: 'api_error', status: 503, title: 'The sandbox cannot run code now.' },
} as const satisfies Record<string, ErrorFacts>;

export type ErrorCode = keyof typeof ERROR_CODES;
