import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Config } from '../config/config.js';
import { Ids } from '../ids/ids.js';
import { REQUEST_ID } from '../ids/platform.ids.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { quoted } from '../logging/json-text.js';
import { Log } from '../logging/log.js';
import { RequestContext } from '../logging/request-context.js';
import { addDefaultHeaders } from './fast-messages.js';
import { HttpMetrics } from './http.metrics.js';
import { attachState, type RequestState, stateOf } from './request-state.js';
import { securityHeaders } from './security-headers.js';
import { callersRequestId, traceIdFrom } from './trace-ids.js';

/** The caller went away before it was answered; no status of ours was ever sent. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * The first thing that every request meets, and the last: it gives it its ids, and writes its log line and its metrics
 * when the answer has been sent. Middleware and not a guard, because guards do not run where no route matches.
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
  ) {
    this.headers = securityHeaders(config.publicUrl);
  }

  readonly use = (request: Request, response: Response, next: NextFunction): void => {
    const state: RequestState = {
      requestId: callersRequestId(request.headers) ?? this.ids.next(REQUEST_ID),
      traceId: traceIdFrom(request.headers),
      startedAtMs: performance.now(),
    };
    attachState(request, state);
    addDefaultHeaders(response, this.headers);
    addDefaultHeaders(response, ['X-Request-Id', state.requestId, 'X-Trace-Id', state.traceId]);
    if (this.shutdown.isDraining) response.setHeader('Connection', 'close');

    // The path as it was asked for: routers below may rewrite `url`.
    const path = request.path;
    response.once('close', () => {
      this.finish(request, response, path);
    });
    this.context.run(state, next);
  };

  private finish(request: Request, response: Response, path: string): void {
    const { requestId, traceId, logFields, startedAtMs } = stateOf(request);
    const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST;
    const durationMs = performance.now() - startedAtMs;
    const route = routeOf(request);
    this.metrics.answered(request.method, route, status, durationMs / 1000);
    // Written by hand, because there is one for each call. All but the path are texts that need no escapes: ids are of
    // a form of their own, Node has taken the method from a list, and routes are ours.
    this.log.infoLine(
      `"requestId":"${requestId}","method":"${request.method}","path":${quoted(path)},"status":${status}` +
        `,"durationMs":${Math.round(durationMs * 100) / 100},"traceId":"${traceId}"` +
        (route === undefined ? '' : `,"route":${quoted(route)}`) +
        fieldsOf(logFields),
    );
  }
}

/** The fields as the rest of a JSON object. */
function fieldsOf(fields: Readonly<Record<string, string>> | undefined): string {
  let text = '';
  for (const name in fields) text += `,"${name}":"${fields[name]!}"`;
  return text;
}

/** The template that matched, `/api/v1/projects/:id`. */
function routeOf(request: Request): string | undefined {
  const route = (request.route as { path?: unknown } | undefined)?.path;
  return typeof route === 'string' ? route : undefined;
}
