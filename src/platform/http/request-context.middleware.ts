import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Config } from '../config/config.js';
import { Ids } from '../ids/ids.js';
import { REQUEST_ID } from '../ids/platform.ids.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { quoted } from '../logging/json-text.js';
import { Log } from '../logging/log.js';
import { RequestContext } from '../logging/request-context.js';
import type { LiveSpan } from '../tracing/live-span.js';
import { Tracing } from '../tracing/tracing.js';
import { addDefaultHeaders } from './fast-messages.js';
import { HttpMetrics } from './http.metrics.js';
import { innerOriginOf } from './inner-calls.js';
import { maskedPath } from './masked-path.js';
import { attachState, type RequestState, stateOf } from './request-state.js';
import { securityHeaders } from './security-headers.js';
import { callersRequestId, traceIdFrom } from './trace-ids.js';

/** The caller disconnected before a response was sent, so no real status exists. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Handles every request first and last: it assigns the ids, and writes the log line and the metrics when the response
 * has been sent. It is middleware because guards do not run when no route matches.
 */
@Injectable()
export class RequestContextMiddleware {
  private readonly headers: readonly string[];

  constructor(
    config: Config,
    private readonly ids: Ids,
    private readonly log: Log,
    private readonly context: RequestContext,
    private readonly metrics: HttpMetrics,
    private readonly shutdown: Shutdown,
    private readonly tracing: Tracing,
  ) {
    this.headers = securityHeaders(config.publicUrl);
  }

  readonly use = (request: Request, response: Response, next: NextFunction): void => {
    const { method, headers } = request;
    const origin = innerOriginOf(request);
    const traceId = traceIdFrom(headers);
    const span = this.tracing.receive({ method, headers, traceId, isInner: origin !== undefined });
    const state: RequestState = {
      requestId: callersRequestId(headers) ?? this.ids.next(REQUEST_ID),
      traceId,
      startedAtMs: performance.now(),
      ...(origin?.via === undefined ? {} : { via: origin.via }),
      ...(span.position === undefined ? {} : { span: span.position }),
    };
    attachState(request, state);
    addDefaultHeaders(response, this.headers);
    addDefaultHeaders(response, ['X-Request-Id', state.requestId, 'X-Trace-Id', state.traceId]);
    if (this.shutdown.isDraining) response.setHeader('Connection', 'close');

    // Routers below may rewrite `url`, so the requested path is kept here.
    const path = maskedPath(request.path);
    response.once('close', () => {
      this.finish(request, response, path, span);
    });
    this.context.run(state, next);
  };

  private finish(request: Request, response: Response, path: string, span: LiveSpan): void {
    const { requestId, traceId, logFields, startedAtMs } = stateOf(request);
    const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST;
    const durationMs = performance.now() - startedAtMs;
    const route = routeOf(request);
    this.metrics.answered(request.method, route, status, durationMs / 1000);
    // The line is assembled by hand, because there is one for each call. Only the path needs escapes: ids have a fixed
    // form, Node takes the method from a list, and routes are constants.
    this.log.infoLine(
      `"requestId":"${requestId}","method":"${request.method}","path":${quoted(path)},"status":${status}` +
        `,"durationMs":${Math.round(durationMs * 100) / 100},"traceId":"${traceId}"` +
        (route === undefined ? '' : `,"route":${quoted(route)}`) +
        fieldsOf(logFields),
    );
    if (span.traceparent === undefined) return;
    span.rename(route === undefined ? request.method : `${request.method} ${route}`);
    span.set({
      'http.route': route,
      'http.response.status_code': status,
      'service_platform.request_id': requestId,
    });
    if (status >= 499) span.fail(String(status));
    span.end();
  }
}

/** Returns the fields as the rest of a JSON object. */
function fieldsOf(fields: Readonly<Record<string, string>> | undefined): string {
  let text = '';
  for (const name in fields) text += `,"${name}":"${fields[name]!}"`;
  return text;
}

/** Returns the template that matched, such as `/api/v1/projects/:id`. */
function routeOf(request: Request): string | undefined {
  const route = (request.route as { path?: unknown } | undefined)?.path;
  return typeof route === 'string' ? route : undefined;
}
