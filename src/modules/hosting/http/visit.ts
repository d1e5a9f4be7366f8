import type { IncomingMessage, ServerResponse } from 'node:http';
import { quoted } from '../../../platform/logging/json-text.js';
import type { Log } from '../../../platform/logging/log.js';
import type { LiveSpan } from '../../../platform/tracing/live-span.js';
import type { AppActivity } from '../metrics/app-activity.js';
import type { AnsweredBy, AppResult, HostingMetrics } from '../metrics/hosting.metrics.js';
import type { AppHost } from '../site/host-lookup.js';
import type { LoadedSite } from '../site/sites.js';

const CLIENT_CLOSED_REQUEST = 499;

export interface VisitParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly host: AppHost;
  readonly span: LiveSpan;
}

/** One request to an app, from its first byte to its line in the log. */
export class Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The host that the request was found by; until it is looked up, the most likely one. */
  host: string;
  /** The label of the app, or the whole host where it is a customer's. */
  readonly label: string;
  /** The site that serves the request, once it is known. */
  loaded: LoadedSite | undefined;
  /** The path and query that a rewrite of the deploy gives its server instead of those of the request. */
  target: string | undefined;
  /** The headers that the deploy adds to answers of its server. */
  extraHeaders: readonly (readonly [string, string])[] = [];
  by: AnsweredBy = 'platform';
  private readonly span: LiveSpan;
  private readonly startedAtMs = performance.now();
  private readonly sentBefore: number;

  constructor(
    { request, response, host: { host, label }, span }: VisitParts,
    private readonly log: Log,
    private readonly metrics: HostingMetrics,
    private readonly activity: AppActivity,
  ) {
    this.request = request;
    this.response = response;
    this.host = host;
    this.label = label ?? host;
    this.span = span;
    this.sentBefore = request.socket.bytesWritten;
    response.on('close', () => {
      this.finish();
    });
  }

  /** From here on the caller may disconnect before the answer, which is not an error. */
  allowDisconnect(): void {
    this.request.on('error', ignore);
    this.response.on('error', ignore);
  }

  /** The header with which the app continues the trace, or undefined when that of the caller stays. */
  get traceparent(): string | undefined {
    return this.span.traceparent;
  }

  private finish(): void {
    const {
      request: { url = '', method = '' },
      response,
    } = this;
    const durationMs = performance.now() - this.startedAtMs;
    const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST;
    this.metrics.answered(this.by, resultOf(status), durationMs / 1000);
    if (this.loaded !== undefined) {
      const bytes = this.request.socket.bytesWritten - this.sentBefore;
      this.activity.answered(this.loaded.deployId, { status, durationMs, bytes });
    }
    this.endSpan(status);
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    // Node only accepts known methods, so the method needs no quoting. The label and the path come from the caller.
    this.log.infoLine(
      `"app":${quoted(this.label)},"method":"${method}","path":${quoted(path)},"status":${status},` +
        `"durationMs":${Math.round(durationMs * 100) / 100}${this.loaded?.logFields ?? ''}`,
    );
  }

  /** The path is the app's, and may contain its secrets. */
  private endSpan(status: number): void {
    const { span } = this;
    if (span.traceparent === undefined) return;
    span.set({
      'http.response.status_code': status,
      'service_platform.answered_by': this.by,
      'service_platform.deploy.id': this.loaded?.deployId,
    });
    if (status >= 499) span.fail(String(status));
    span.end();
  }
}

const ignore = (): void => undefined;

function resultOf(status: number): AppResult {
  if (status === CLIENT_CLOSED_REQUEST) return 'hung_up';
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'client_error' : 'ok';
}
