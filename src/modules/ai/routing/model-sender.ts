import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { ModelUnavailable, ProviderKeyRefused } from '../ai.errors.js';
import type { OfferedModel } from '../domain/offered-model.js';
import type { RouterResponse } from '../routers/model-router.js';
import { ModelRouters } from '../routers/model-routers.js';
import type { Fields } from '../routers/upstream-json.js';
import { CircuitBreakers } from './circuit-breakers.js';
import { lookAtFirstBytes } from './first-bytes.js';
import type { RoutePlan } from './route-plan.js';
import { RoutingMetrics } from './routing.metrics.js';
import { errorOf, faultOf, messageOf, RequestRefusedByModel } from './upstream-refusal.js';

const TRIES_PER_MODEL = 2;
/** No attempt begins later than this. */
const RETRY_FOR_MS = 20_000;
const PAUSE_MS = 200;
/** What callers are asked to wait when no router names a time. */
const RETRY_AFTER_SECONDS = 5;

/** A request for the models of a plan. It differs by model, as each model has a name of its own upstream. */
export interface SentRequest {
  /** The body for a model, as it is sent. */
  bodyFor(model: OfferedModel): Buffer;
  /** A provider key of the organization for the router of the model, in place of the operator's. */
  apiKeyFor?(model: OfferedModel): string | undefined;
}

/** A response of a model, whose status is 200 and whose body was looked at but not changed. */
export interface SentCall {
  readonly model: OfferedModel;
  readonly response: RouterResponse;
  /** From the beginning of the last attempt to the first byte of its body that is no comment. */
  readonly firstByteMs: number;
  /** All attempts together. */
  readonly tries: number;
}

/** What is known when an attempt failed. */
interface Failure {
  readonly retryAfterSeconds?: number | undefined;
  readonly cause: unknown;
  /** True when another attempt with the same model may help. */
  readonly isTransient: boolean;
}

/**
 * The one way to the routers. It tries the models of a plan in their order, each twice, until one begins to answer.
 * After the first byte nothing is repeated, because the caller has it.
 */
@Injectable()
export class ModelSender {
  private readonly breakers = new CircuitBreakers();

  constructor(
    private readonly routers: ModelRouters,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly metrics: RoutingMetrics,
  ) {}

  /**
   * @throws {RequestRefusedByModel} `invalid_request` with the message of the model that refused the request.
   * @throws {ProviderKeyRefused} `provider_key_refused` when a router refuses the key of the organization.
   * @throws {ModelUnavailable} `model_unavailable` when no model of the plan began to answer.
   * @throws the reason of the signal, when it is aborted.
   */
  async send(plan: RoutePlan, request: SentRequest, signal: AbortSignal): Promise<SentCall> {
    const untilMs = this.nowMs + RETRY_FOR_MS;
    let last: Failure | undefined;
    let tries = 0;
    for (const [index, model] of plan.models.entries()) {
      for (let attempt = 1; attempt <= TRIES_PER_MODEL && (tries === 0 || this.nowMs < untilMs); attempt++) {
        const breaker = this.breakers.for(model.router, model.upstreamId);
        if (!breaker.begin(this.nowMs)) {
          last ??= {
            cause: 'circuit open',
            retryAfterSeconds: seconds(breaker.waitMs(this.nowMs)),
            isTransient: false,
          };
          break;
        }
        tries++;
        const result = await this.attempt(plan, model, request, { signal, untilMs });
        if ('response' in result) {
          if (index > 0) this.metrics.fellBack();
          return { model, ...result, tries };
        }
        last = result;
        if (!result.isTransient) break;
        if (attempt < TRIES_PER_MODEL) await delay(PAUSE_MS, undefined, { signal });
      }
    }
    throw new ModelUnavailable(plan.models[0].id, last?.retryAfterSeconds ?? RETRY_AFTER_SECONDS, last?.cause);
  }

  private async attempt(
    { protocol }: RoutePlan,
    model: OfferedModel,
    request: SentRequest,
    { signal, untilMs }: { readonly signal: AbortSignal; readonly untilMs: number },
  ): Promise<Omit<SentCall, 'model' | 'tries'> | Failure> {
    const router = this.routers.find(model.router);
    const breaker = this.breakers.for(model.router, model.upstreamId);
    const end = (outcome: 'succeeded' | 'failed' | 'unknown'): void => {
      breaker.end(outcome, this.nowMs);
      this.metrics.breakersOpen(this.breakers.open);
    };
    if (router === undefined) {
      end('unknown');
      return { cause: `no router ${model.router}`, isTransient: false };
    }
    const apiKey = request.apiKeyFor?.(model);
    const startedMs = performance.now();
    try {
      const response = await router.send(
        {
          protocol,
          model: model.upstreamId,
          body: request.bodyFor(model),
          ...(apiKey === undefined ? {} : { apiKey }),
        },
        signal,
      );
      // A body that nobody reads any more must not end the process when it breaks.
      response.body.on('error', () => undefined);
      if (response.status < 200 || response.status > 299) {
        const error = await errorOf(response.body);
        return this.judge(model, { ...response, error, ownKey: apiKey }, end);
      }
      const firstBytes = await lookAtFirstBytes(response.body, {
        isStream: response.contentType.startsWith('text/event-stream'),
        until: AbortSignal.timeout(Math.max(0, untilMs - this.nowMs)),
      });
      if (firstBytes.error !== undefined) {
        firstBytes.body.destroy();
        const { status = 502, error } = firstBytes.error;
        return this.judge(model, { status, error, ownKey: apiKey }, end);
      }
      end('succeeded');
      this.metrics.attempted(model.router, 'answered');
      return { response: { ...response, body: firstBytes.body }, firstByteMs: performance.now() - startedMs };
    } catch (error) {
      if (signal.aborted) {
        end('unknown');
        throw signal.reason;
      }
      if (error instanceof RequestRefusedByModel || error instanceof ProviderKeyRefused) throw error;
      end('failed');
      this.metrics.attempted(model.router, 'failed');
      this.log.warn({ router: model.router, model: model.id, error }, 'A model router did not answer.');
      return { cause: error, isTransient: true };
    }
  }

  /**
   * @throws {RequestRefusedByModel} when the request itself is at fault.
   * @throws {ProviderKeyRefused} when the key of the organization is.
   */
  private judge(
    model: OfferedModel,
    refused: {
      readonly status: number;
      readonly error: Fields;
      readonly retryAfterSeconds?: number | undefined;
      /** The key, when it belongs to the organization. */
      readonly ownKey: string | undefined;
    },
    end: (outcome: 'succeeded' | 'failed' | 'unknown') => void,
  ): Failure {
    const { status, error, retryAfterSeconds, ownKey } = refused;
    const isOwnKey = ownKey !== undefined;
    const { router } = model;
    const fault = faultOf(status, error);
    if (fault === 'request' || (fault === 'account' && isOwnKey)) {
      // What one account is refused says nothing about the model for others.
      end(isOwnKey ? 'unknown' : 'succeeded');
      this.metrics.attempted(router, 'refused');
      if (fault === 'account') throw new ProviderKeyRefused(router, status);
      throw new RequestRefusedByModel(
        model.id,
        messageOf(error, (text) => this.withoutKeys(text, ownKey)),
      );
    }
    // Nobody's own key may close a model for all others.
    end(isOwnKey ? 'unknown' : 'failed');
    // The limits of one account are no failure of the router.
    this.metrics.attempted(router, isOwnKey && status === 429 ? 'refused' : 'failed');
    const fields = { router, model: model.id, status, retryAfterSeconds };
    if (fault === 'account' && retryAfterSeconds === undefined) {
      this.metrics.accountRefused(router, status);
      this.log.error(fields, 'A model router refuses our account. Check its key and its credits.');
    } else {
      this.log.warn(fields, 'A model router failed.');
    }
    return { retryAfterSeconds, cause: `${router} answered ${status}`, isTransient: fault === 'model' };
  }

  private withoutKeys(text: string, ownKey: string | undefined): string {
    const rest = this.routers.withoutKeys(text);
    return ownKey === undefined ? rest : rest.replaceAll(ownKey, '[key]');
  }

  private get nowMs(): number {
    return this.clock.now().getTime();
  }
}

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));
