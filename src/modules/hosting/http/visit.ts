import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../../platform/logging/log.js';
import type { AnsweredBy, AppResult, HostingMetrics } from '../hosting.metrics.js';

const CLIENT_CLOSED_REQUEST = 499;

export interface VisitParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly host: string;
  readonly label: string;
}

/** One request to an app, from its first byte to the line that the log has of it. */
export class Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly host: string;
  readonly label: string;
  /** Whose app it turned out to be. */
  deployId: string | undefined;
  orgId: string | undefined;
  by: AnsweredBy = 'platform';
  private readonly startedAtMs = performance.now();

  constructor({ request, response, host, label }: VisitParts, private readonly log: Log, private readonly metrics: HostingMetrics) {
    this.request = request;
    this.response = response;
    this.host = host;
    this.label = label;
    response.once('close', () => { this.finish(); });
  }

  private finish(): void {
    const { request, response } = this;
    const durationMs = performance.now() - this.startedAtMs;
    const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST;
    this.metrics.answered(this.by, resultOf(status), durationMs / 1000);
    const { url = '', method } = request;
    const query = url.indexOf('?');
    this.log.info({
      app: this.label, method, path: query === -1 ? url : url.slice(0, query), status, durationMs: Math.round(durationMs * 100) / 100, deployId: this.deployId, orgId: this.orgId,
    });
  }
}

function resultOf(status: number): AppResult {
  if (status === CLIENT_CLOSED_REQUEST) return 'hung_up';
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'client_error' : 'ok';
}
