import { DomainError } from '../errors/domain-error.js';
import { GENERIC_ERRORS } from '../errors/generic.errors.js';

export class MalformedJson extends DomainError {
  constructor(reason: string) {
    super(GENERIC_ERRORS.malformed_json, `The request body is not valid JSON: ${reason}`, {
      hint: 'Send one JSON object, UTF-8 encoded.',
    });
  }
}

export class MalformedRequest extends DomainError {
  constructor(reason = 'The request is not valid HTTP.') {
    super(GENERIC_ERRORS.malformed_request, reason);
  }
}

export class RouteNotFound extends DomainError {
  constructor(method: string, path: string, apiUrl: string) {
    super(GENERIC_ERRORS.route_not_found, `Endpoint not found: ${method} ${path}.`, {
      hint: `See all endpoints at ${apiUrl}.`,
    });
  }
}

export class MethodNotAllowed extends DomainError {
  constructor(method: string, path: string, allowed: readonly string[]) {
    super(GENERIC_ERRORS.method_not_allowed, `${path} does not support ${method}.`, {
      hint: `Use ${allowed.join(', ')}.`,
      headers: { Allow: allowed.join(', ') },
    });
  }
}

/** The method is refused on every path, unlike with {@link MethodNotAllowed}. */
export class MethodNotSupported extends DomainError {
  constructor(method: string, allowed = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS') {
    super(GENERIC_ERRORS.method_not_allowed, `The method ${method} is not supported.`, {
      hint: 'Use a method that the endpoint lists in the documentation.',
      headers: { Allow: allowed },
    });
  }
}

export class PayloadTooLarge extends DomainError {
  constructor(limitBytes: number) {
    super(GENERIC_ERRORS.payload_too_large, `The request body is larger than ${limitBytes} bytes.`, {
      details: { limit_bytes: limitBytes },
    });
  }
}

export class UnsupportedMediaType extends DomainError {
  constructor(reason: string, hint = 'Send JSON with the header Content-Type: application/json.') {
    super(GENERIC_ERRORS.unsupported_media_type, reason, { hint });
  }
}

export class RequestTimeout extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.request_timeout, 'The request did not arrive in time.');
  }
}

export class HeadersTooLarge extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.headers_too_large, 'The request headers are too large.');
  }
}
