import { Injectable } from '@nestjs/common';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { GenerationContentsStore } from '../persistence/generation-contents.store.js';

/** Texts are large, and a batch must not hold up others. */
const BATCH = 200;

/** Deletes texts of generations. */
@Injectable()
export class ContentsRemoval {
  constructor(
    private readonly contents: GenerationContentsStore,
    private readonly clock: Clock,
  ) {}

  /** Deletes all texts of an organization, when its retention has been switched off. */
  removeOf(orgId: string): Promise<void> {
    return inBatches((limit) => this.contents.deleteOf(orgId, limit), { size: BATCH });
  }

  /** Deletes texts whose days have passed, and what was left behind when a process was lost during a removal. */
  async removeExpired(stopping: AbortSignal): Promise<void> {
    const now = this.clock.now();
    await inBatches((limit) => this.contents.deleteExpired(now, limit), { size: BATCH, stopping });
    await inBatches((limit) => this.contents.deleteForgotten(limit), { size: BATCH, stopping });
  }
}
