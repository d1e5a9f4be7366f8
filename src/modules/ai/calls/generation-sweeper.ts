import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { LostGenerationsCounter } from '../metrics/ai.metrics.js';
import type { GenerationStart } from '../persistence/generation.entity.js';
import { GenerationsStore } from '../persistence/generations.store.js';
import { ProviderKeysService } from '../provider-keys/provider-keys.service.js';
import { ModelRouters } from '../routers/model-routers.js';
import { lostGenerationsSchedule } from '../jobs/ai.job.js';
import { GenerationEnds } from './generation-ends.js';

const BATCH = 50;
/** A router that fails to answer is asked for so long. */
const ASKED_FOR_MS = 86_400_000;

/**
 * Settles generations whose process was lost, or could not reach the database: the router is asked what they used. If
 * it does not tell, they are not charged.
 */
@Injectable()
@Handles(lostGenerationsSchedule)
export class GenerationSweeper implements ScheduleHandler {
  constructor(
    private readonly generations: GenerationsStore,
    private readonly routers: ModelRouters,
    private readonly ends: GenerationEnds,
    private readonly lost: LostGenerationsCounter,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly keys: ProviderKeysService,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    for (const start of await this.generations.overdue(this.clock.now(), BATCH)) {
      if (stopping.aborted) return;
      await this.settle(start, stopping).catch((error: unknown) => {
        this.log.warn({ generationId: start.id, error }, 'A generation could not be settled yet; it is tried again.');
      });
    }
  }

  private async settle(start: GenerationStart, signal: AbortSignal): Promise<void> {
    const { id, orgId, router: routerId, upstreamId, billedTo } = start;
    const router = this.routers.find(routerId);
    const apiKey = billedTo === 'organization' ? await this.keys.find(orgId, routerId) : undefined;
    // Only the key that it was sent with may ask for it.
    const hasKey = billedTo === 'credits' || apiKey !== undefined;
    const asks = router?.traits.keepsUsage === true && upstreamId !== null && hasKey;
    const isHopeless = start.createdAt.getTime() < this.clock.now().getTime() - ASKED_FOR_MS;
    const usage = asks && !isHopeless ? await router.usageOf(upstreamId, signal, apiKey) : undefined;
    if (usage === undefined) {
      // The organization pays its provider, whatever we know of it.
      if (billedTo === 'credits') this.lost.count();
      this.log.error({ generationId: id, orgId, router: routerId }, 'A generation was lost. It is not charged.');
      await this.ends.release(id);
      return;
    }
    this.log.warn(
      { generationId: id, orgId, router: routerId },
      'A generation was settled after its process was lost.',
    );
    await this.ends.settle(start, {
      outcome: 'lost',
      finishReason: undefined,
      usageSource: 'router',
      tokens: usage.tokens,
      firstByteMs: null,
    });
  }
}
