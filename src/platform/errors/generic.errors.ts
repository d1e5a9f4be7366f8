import { defineErrors } from './define-errors.js';

export const GENERIC_ERRORS = defineErrors({
  invalid_request: { type: 'validation_error', status: 400, title: 'A field of the request is invalid.' },
  malformed_json: { type: 'validation_error', status: 400, title: 'The request body is not valid JSON.' },
  malformed_request: { type: 'validation_error', status: 400, title: 'The request is not valid HTTP.' },
  invalid_signature: { type: 'auth_error', status: 401, title: 'The signature of the message is invalid.' },
  route_not_found: { type: 'not_found_error', status: 404, title: 'Endpoint not found.' },
  method_not_allowed: { type: 'api_error', status: 405, title: 'The endpoint does not support this method.' },
  request_timeout: { type: 'api_error', status: 408, title: 'The request did not arrive in time.' },
  already_exists: { type: 'conflict_error', status: 409, title: 'The resource already exists.' },
  stale_version: { type: 'conflict_error', status: 409, title: 'The resource has changed since it was read.' },
  task_already_claimed: { type: 'conflict_error', status: 409, title: 'Another caller has claimed the task.' },
  task_not_claimed: { type: 'conflict_error', status: 409, title: 'The caller has not claimed the task.' },
  integration_not_configured: {
    type: 'conflict_error',
    status: 409,
    title: 'This service is not connected to that provider.',
  },
  payload_too_large: { type: 'api_error', status: 413, title: 'The request body is too large.' },
  unsupported_media_type: { type: 'api_error', status: 415, title: 'The request body must be JSON.' },
  misdirected_request: { type: 'api_error', status: 421, title: 'The API is not available at this host name.' },
  headers_too_large: { type: 'api_error', status: 431, title: 'The request headers are too large.' },
  internal_error: { type: 'api_error', status: 500, title: 'An unexpected error occurred.' },
  upstream_error: { type: 'api_error', status: 502, title: 'Another service failed to answer as expected.' },
  service_unavailable: { type: 'api_error', status: 503, title: 'A required backend is temporarily unavailable.' },
  storage_unavailable: { type: 'api_error', status: 503, title: 'There is not enough storage space.' },
});
