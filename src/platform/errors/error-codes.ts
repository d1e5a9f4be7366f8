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
  conflicting_credentials: {
    type: 'validation_error',
    status: 400,
    title: 'The call carries two different credentials.',
  },
  invalid_link_state: {
    type: 'validation_error',
    status: 400,
    title: "The state of the link is wrong, used, too old or somebody else's.",
  },
  invalid_email_token: {
    type: 'validation_error',
    status: 400,
    title: 'The token from the e-mail is wrong, used or too old.',
  },
  missing_api_key: { type: 'auth_error', status: 401, title: 'The call carries no API key.' },
  malformed_api_key: { type: 'auth_error', status: 401, title: 'The API key is not one that we ever gave out.' },
  invalid_api_key: { type: 'auth_error', status: 401, title: 'The API key is not known.' },
  expired_api_key: { type: 'auth_error', status: 401, title: 'The API key has expired.' },
  revoked_api_key: { type: 'auth_error', status: 401, title: 'The API key has been revoked.' },
  rotated_api_key: { type: 'auth_error', status: 401, title: 'The API key has been rotated.' },
  session_token_not_allowed: {
    type: 'auth_error',
    status: 401,
    title: 'A session token was sent where an API key is expected.',
  },
  session_required: { type: 'auth_error', status: 401, title: 'The call needs the session of a person.' },
  invalid_credentials: { type: 'auth_error', status: 401, title: 'The name or the password is wrong.' },
  invalid_session: { type: 'auth_error', status: 401, title: 'The session is over or unknown.' },
  invalid_signature: {
    type: 'auth_error',
    status: 401,
    title: 'The message is not signed by who is said to have sent it.',
  },
  invalid_token: { type: 'auth_error', status: 401, title: 'The bearer token is not the one that is set.' },
  credits_exhausted: { type: 'insufficient_credits_error', status: 402, title: 'The credits do not cover this.' },
  spend_cap_reached: { type: 'insufficient_credits_error', status: 402, title: 'The spend cap does not cover this.' },
  insufficient_scopes: { type: 'authorization_error', status: 403, title: 'The key or the role does not allow this.' },
  org_access_denied: { type: 'authorization_error', status: 403, title: 'The caller does not reach the organization.' },
  key_org_mismatch: { type: 'authorization_error', status: 403, title: 'The key is bound to another organization.' },
  ip_not_allowed: { type: 'authorization_error', status: 403, title: 'The key may not be used from this IP address.' },
  email_not_verified: {
    type: 'authorization_error',
    status: 403,
    title: 'The e-mail address of the account is not verified.',
  },
  github_access_denied: {
    type: 'authorization_error',
    status: 403,
    title: 'The GitHub account is not one that the person administers.',
  },
  git_service_not_offered: {
    type: 'authorization_error',
    status: 403,
    title: 'Repositories are served by smart HTTP alone.',
  },
  plan_limit_reached: { type: 'authorization_error', status: 403, title: 'The plan has no room for one more.' },
  flag_not_allowlisted: {
    type: 'authorization_error',
    status: 403,
    title: 'The feature flag is not on the allowlist.',
  },
  feature_disabled: {
    type: 'authorization_error',
    status: 403,
    title: 'The operator of the service has switched this off.',
  },
  feature_not_in_plan: { type: 'authorization_error', status: 403, title: 'The plan does not have this.' },
  route_not_found: { type: 'not_found_error', status: 404, title: 'There is no such endpoint.' },
  page_not_found: { type: 'not_found_error', status: 404, title: 'There is no such page.' },
  api_key_not_found: { type: 'not_found_error', status: 404, title: 'There is no such API key.' },
  session_not_found: { type: 'not_found_error', status: 404, title: 'There is no such session.' },
  member_not_found: { type: 'not_found_error', status: 404, title: 'There is no such member.' },
  invitation_not_found: { type: 'not_found_error', status: 404, title: 'There is no such invitation.' },
  organization_not_found: { type: 'not_found_error', status: 404, title: 'There is no such organization.' },
  project_not_found: { type: 'not_found_error', status: 404, title: 'There is no such project.' },
  github_installation_not_found: {
    type: 'not_found_error',
    status: 404,
    title: 'There is no such installation on GitHub.',
  },
  repository_not_found: { type: 'not_found_error', status: 404, title: 'There is no such repository.' },
  deploy_not_found: { type: 'not_found_error', status: 404, title: 'There is no such deploy.' },
  execution_not_found: { type: 'not_found_error', status: 404, title: 'There is no such execution.' },
  flag_not_found: { type: 'not_found_error', status: 404, title: 'There is no such feature flag.' },
  plan_request_not_found: { type: 'not_found_error', status: 404, title: 'There is no pending plan request.' },
  invoice_not_found: { type: 'not_found_error', status: 404, title: 'There is no such invoice.' },
  ops_task_not_found: { type: 'not_found_error', status: 404, title: 'There is no such task.' },
  method_not_allowed: { type: 'api_error', status: 405, title: 'The endpoint does not take this method.' },
  request_timeout: { type: 'api_error', status: 408, title: 'The request did not arrive in time.' },
  username_taken: { type: 'conflict_error', status: 409, title: 'The username is taken.' },
  email_taken: { type: 'conflict_error', status: 409, title: 'The e-mail address is taken.' },
  already_exists: { type: 'conflict_error', status: 409, title: 'There is one already.' },
  last_owner: { type: 'conflict_error', status: 409, title: 'An organization needs an owner.' },
  personal_organization: {
    type: 'conflict_error',
    status: 409,
    title: 'A personal organization cannot be deleted or shared.',
  },
  execution_already_over: { type: 'conflict_error', status: 409, title: 'The execution is over.' },
  flag_fixed: { type: 'conflict_error', status: 409, title: 'The environment of the service fixes the feature flag.' },
  stale_version: { type: 'conflict_error', status: 409, title: 'It has been changed since it was read.' },
  task_already_claimed: { type: 'conflict_error', status: 409, title: 'Somebody else has claimed the task.' },
  task_not_claimed: { type: 'conflict_error', status: 409, title: 'The caller does not hold the task.' },
  task_already_resolved: { type: 'conflict_error', status: 409, title: 'The task is resolved.' },
  plan_too_small: { type: 'conflict_error', status: 409, title: 'The organization has more than the plan holds.' },
  plan_by_contract: { type: 'conflict_error', status: 409, title: 'The plan begins and ends by contract.' },
  payment_method_required: { type: 'conflict_error', status: 409, title: 'The organization has no means of payment.' },
  invoice_closed: { type: 'conflict_error', status: 409, title: 'The invoice is paid or void.' },
  credit_too_large: { type: 'conflict_error', status: 409, title: 'The credit note is larger than the invoice.' },
  project_has_no_repository: { type: 'conflict_error', status: 409, title: 'The project has no repository to deploy.' },
  deploy_already_over: { type: 'conflict_error', status: 409, title: 'The deploy is over.' },
  deploy_in_use: { type: 'conflict_error', status: 409, title: 'The deploy is at work, or production shows it.' },
  storage_limit_reached: {
    type: 'conflict_error',
    status: 409,
    title: 'The deploys of the organization store as much as its plan allows.',
  },
  deploy_not_ready: { type: 'conflict_error', status: 409, title: 'The deploy cannot be live.' },
  no_earlier_deploy: { type: 'conflict_error', status: 409, title: 'There is nothing to roll back to.' },
  github_not_connected: {
    type: 'conflict_error',
    status: 409,
    title: 'The organization has not connected that GitHub account.',
  },
  integration_not_configured: {
    type: 'conflict_error',
    status: 409,
    title: 'This service is not connected to that provider.',
  },
  idempotency_mismatch: {
    type: 'conflict_error',
    status: 409,
    title: 'The idempotency key was used for another request.',
  },
  idempotency_in_progress: {
    type: 'conflict_error',
    status: 409,
    title: 'A call with this idempotency key is still running.',
  },
  payload_too_large: { type: 'api_error', status: 413, title: 'The request body is too large.' },
  repository_full: { type: 'api_error', status: 413, title: 'The repository has no room for more.' },
  misdirected_request: { type: 'api_error', status: 421, title: 'The host belongs to a deploy, not to the API.' },
  unsupported_media_type: { type: 'api_error', status: 415, title: 'The request body must be JSON.' },
  headers_too_large: { type: 'api_error', status: 431, title: 'The request headers are too large.' },
  burst_limit_exceeded: { type: 'rate_limit_error', status: 429, title: 'Too many calls at once.' },
  daily_limit_exceeded: { type: 'rate_limit_error', status: 429, title: 'The calls of this day are used up.' },
  concurrency_limit_exceeded: { type: 'rate_limit_error', status: 429, title: 'Too much going on at once.' },
  sign_in_limit_exceeded: { type: 'rate_limit_error', status: 429, title: 'Too many attempts to sign in.' },
  sandbox_daily_limit_exceeded: {
    type: 'rate_limit_error',
    status: 429,
    title: 'The anonymous sandbox runs of this day are used up.',
  },
  internal_error: { type: 'api_error', status: 500, title: 'Something went wrong on our side.' },
  upstream_error: { type: 'api_error', status: 502, title: 'Another service did not do what was asked of it.' },
  service_unavailable: { type: 'api_error', status: 503, title: 'A part that this call needs is away.' },
  storage_unavailable: { type: 'api_error', status: 503, title: 'There is no room left to store this.' },
  sandbox_unavailable: { type: 'api_error', status: 503, title: 'The sandbox cannot run code now.' },
} as const satisfies Record<string, ErrorFacts>;

export type ErrorCode = keyof typeof ERROR_CODES;
