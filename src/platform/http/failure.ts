import type { Request } from 'express';
import type { Config } from '../config/config.js';
import type { DomainError } from '../errors/domain-error.js';

/** The members of `error` on the wire. Absent members are left out and never null. */
interface WireError {
  readonly type: string;
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly details?: unknown;
  readonly hint?: string | undefined;
  readonly dashboard_url?: string | undefined;
  readonly docs_url: string;
  readonly upgrade_url?: string | undefined;
  readonly retry_after?: number | undefined;
}

/** Where the pages for people begin. */
type ErrorLinks = Pick<Config, 'dashboardUrl' | 'docsUrl'>;

export interface Failure {
  readonly contentType: string;
  readonly body: object;
}

/** Renders an error in the service's own shape, or as RFC 9457 when the caller asks for it. */
export function failureOf(error: DomainError, requestId: string, links: ErrorLinks, asProblem: boolean): Failure {
  const wire = wireOf(error, links);
  if (asProblem)
    return {
      contentType: 'application/problem+json; charset=utf-8',
      body: problemOf(wire, error.definition.title, requestId),
    };
  return {
    contentType: 'application/json; charset=utf-8',
    body: { error: wire, meta: { request_id: requestId } },
  };
}

export function wantsProblem(request: Request): boolean {
  return request.headers.accept?.includes('application/problem+json') ?? false;
}

function wireOf(
  { type, code, status, message, help, definition }: DomainError,
  { dashboardUrl, docsUrl }: ErrorLinks,
): WireError {
  return {
    type,
    code,
    status,
    message,
    details: help.details,
    hint: help.hint,
    dashboard_url: definition.dashboard === undefined ? undefined : dashboardUrl + definition.dashboard,
    docs_url: `${docsUrl}/errors/${code}`,
    upgrade_url: help.upgradeUrl,
    retry_after: help.retryAfterSeconds,
  };
}

/** RFC 9457 has the same facts under its five names; the rest are extension members. */
function problemOf({ docs_url, message, type, ...rest }: WireError, title: string, requestId: string): object {
  return { type: docs_url, title, detail: message, instance: requestId, error_type: type, ...rest };
}
