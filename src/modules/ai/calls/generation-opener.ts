import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { typeOfError } from '../../../platform/tracing/live-span.js';
import { Tracing } from '../../../platform/tracing/tracing.js';
import { ModelRouterNotConfigured } from '../ai.errors.js';
import { AiMetrics } from '../metrics/ai.metrics.js';
import { ModelRouters } from '../routers/model-routers.js';
import { ModelSender } from '../routing/model-sender.js';
import { GenerationEnds } from './generation-ends.js';
import { apiKeyFor } from './org-rules.js';
import type { HeldCall, OpenedGeneration } from './opened-generation.js';

/** Sends calls whose price is held to the routers. */
@Injectable()
export class GenerationOpener {
  constructor(
    private readonly routers: ModelRouters,
    private readonly sender: ModelSender,
    private readonly ends: GenerationEnds,
    private readonly metrics: AiMetrics,
    private readonly log: Log,
    private readonly tracing: Tracing,
  ) {}

  /**
   * Resolves when a model begins to answer. A caller who leaves meanwhile does not end the request, because nothing
   * would tell what the router has billed for it.
   *
   * @throws {RequestRefusedByModel} `invalid_request`
   * @throws {ProviderKeyRefused} `provider_key_refused`
   * @throws {ModelUnavailable} `model_unavailable`
   */
  async open(held: HeldCall): Promise<OpenedGeneration> {
    const { request, plan, priced, rules, billedTo } = held;
    const abort = new AbortController();
    const [{ id: model }] = plan.models;
    const operation = plan.protocol === 'embeddings' ? 'embeddings' : 'chat';
    const span = this.tracing.begin(`${operation} ${model}`, {
      kind: 'client',
      attributes: {
        'gen_ai.operation.name': operation,
        'gen_ai.request.model': model,
        'gen_ai.request.max_tokens': priced.limits.maxTokens,
        'service_platform.generation.id': held.id,
      },
    });
    try {
      const sent = await this.sender.send(
        plan,
        {
          bodyFor: (model) =>
            request.bodyFor(model, {
              ...priced.limits,
              // Only such a router reads the field, and tells what it has charged.
              capsPrice: billedTo === 'credits' && this.routers.find(model.router)?.traits.keepsUsage === true,
              zeroRetention: rules.policy.zeroRetentionOnly && this.routers.asksForZeroRetention(model.router),
            }),
          apiKeyFor: (model) => apiKeyFor(rules, model),
        },
        abort.signal,
      );
      const router = this.routers.find(sent.model.router);
      if (router === undefined) throw new ModelRouterNotConfigured();
      const wholeMs = performance.now() - held.begunMs;
      this.metrics.began({ upstreamMs: sent.firstByteMs, oursMs: Math.max(0, wholeMs - sent.firstByteMs) });
      span.set({ 'gen_ai.provider.name': sent.model.router, 'service_platform.model.attempts': sent.tries });
      return { ...held, sent, router, abort, span };
    } catch (error) {
      span.fail(typeOfError(error));
      span.end();
      this.metrics.refused(request.protocol);
      await this.ends.release(held.id).catch((fault: unknown) => {
        this.log.error({ generationId: held.id, error: fault }, 'A hold could not be released; it expires by itself.');
      });
      throw error;
    }
  }
}
