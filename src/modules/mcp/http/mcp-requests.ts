import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { MethodNotSupported } from '../../../platform/http/http.errors.js';
import { stateOf } from '../../../platform/http/request-state.js';
import { type Call, callOf } from '../../auth/caller.js';
import { carriedCallerOf } from '../../auth/carried-caller.js';
import { spentBy } from '../../limits/spent-call.js';
import { McpExchange } from './mcp-exchange.js';
import { McpMetrics } from './mcp.metrics.js';
import { McpPlaces } from './mcp-places.js';
import type { McpSession } from './mcp-session.js';
import { narrowingOf } from './narrowing.js';
import { OwnAddress } from './own-address.js';
import { StepUp } from './step-up.js';

/** Checks a request of a client, and passes its message on. */
@Injectable()
export class McpRequests {
  constructor(
    private readonly address: OwnAddress,
    private readonly places: McpPlaces,
    private readonly stepUp: StepUp,
    private readonly exchange: McpExchange,
    private readonly metrics: McpMetrics,
  ) {}

  /**
   * @throws {ForeignHost} `misdirected_request`
   * @throws {ForeignPage} `cross_site_request`: a page of another site makes the request.
   * @throws {RequestInvalid} `invalid_request` for an address that narrows in an unknown way.
   * @throws {ScopesNotGranted} `insufficient_scopes`
   * @throws {TooManyMcpCalls} `concurrency_limit_exceeded`
   */
  async answer(request: Request, response: Response): Promise<void> {
    this.address.require(request);
    const session = sessionOf(request);
    this.stepUp.require(session, request.body);
    const { method } = request.body as { method?: unknown };
    const era = await this.places.hold(session.call, () => this.exchange.answer(request, response, session));
    this.metrics.answered(method, era, response.statusCode);
  }

  refuseMethod(method: string): never {
    throw new MethodNotSupported(method, 'POST');
  }
}

/** The caller is known, because the guards let no other request in. */
function sessionOf(request: Request): McpSession {
  const call = callOf(request) as Call;
  return {
    call,
    caller: carriedCallerOf(request)!,
    narrowing: narrowingOf(request.query),
    spent: spentBy(request),
    traceId: stateOf(request).traceId,
    idempotencyKey: headerOf(request, 'idempotency-key'),
    dryRun: headerOf(request, 'dry-run') === 'true',
  };
}

function headerOf({ headers }: Request, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
