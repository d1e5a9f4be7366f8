import { DomainError } from '../../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ACCESS_ERRORS } from '../../auth/access.errors.js';
import { CREDENTIAL_ERRORS } from '../../auth/auth.errors.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';

export class TooManyMcpCalls extends DomainError {
  constructor(limit: number) {
    super(LIMIT_ERRORS.concurrency_limit_exceeded, `Limit of concurrent MCP calls of this key reached: ${limit}.`, {
      retryAfterSeconds: 1,
      hint: 'Retry when one of them has ended.',
      details: { policy: 'mcp_concurrency', limit, remaining: 0 },
    });
  }
}

/** A client of OAuth calls a tool that the person could have allowed, and has not. */
export class ScopesNotGranted extends DomainError {
  constructor(missing: readonly string[], challenge: string) {
    super(ACCESS_ERRORS.insufficient_scopes, `The grant of this client lacks ${missing.join(', ')}.`, {
      hint: 'Connect again and allow it, or call only the tools that are listed.',
      details: { required_scopes: missing, missing_scopes: missing, lacked_by: 'key', key_kind: 'select_orgs' },
      headers: { 'WWW-Authenticate': challenge },
    });
  }
}

export class ForeignPage extends DomainError {
  constructor() {
    super(CREDENTIAL_ERRORS.cross_site_request, 'The header Origin names another site, and this server answers none.', {
      hint: 'Connect from a program, or from a page under PUBLIC_URL.',
    });
  }
}

export class ForeignHost extends DomainError {
  constructor(host: string) {
    super(GENERIC_ERRORS.misdirected_request, `${host.slice(0, 255)} is not a host of this server.`, {
      hint: 'Connect to the address in PUBLIC_URL.',
    });
  }
}
