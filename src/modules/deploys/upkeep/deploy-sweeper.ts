import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { PeriodicJobs } from '../../../platform/lifecycle/periodic-jobs.js';
import { Clock } from '../../../platform/time/clock.js';
import { AliasesService } from '../../hosting/aliases.service.js';
import { ArtifactsService } from '../../hosting/artifacts.service.js';
import { GarbageCollectionService } from '../../hosting/garbage-collection.service.js';
import { deployLabel } from '../../hosting/labels.js';
import { DeployKeepingStore } from '../persistence/deploy-keeping.store.js';
import { DeployLogStore } from '../persistence/deploy-log.store.js';
import { DeployRemoval } from './deploy-removal.service.js';

const SWEEP_EVERY_MS = 3_600_000;
/** Soon after a start, but not while everything else begins as well. */
const FIRST_SWEEP_MS = 300_000;
const BATCH = 100;
const RULES = { productionDeploys: 10, previewDays: 30, graceHours: 24 };
const LOGS_KEPT_MS = 90 * 86_400_000;

/** In the worker, once an hour: removes the files of deploys that nothing keeps, and logs that are old. */
@Injectable()
export class DeploySweeper implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly keeping: DeployKeepingStore,
    private readonly removal: DeployRemoval,
    private readonly aliases: AliasesService,
    private readonly artifacts: ArtifactsService,
    private readonly garbage: GarbageCollectionService,
    private readonly logs: DeployLogStore,
    private readonly clock: Clock,
    private readonly jobs: PeriodicJobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.start({ name: 'sweeping deploys', everyMs: SWEEP_EVERY_MS, firstAfterMs: FIRST_SWEEP_MS, run: (stopping) => this.sweep(stopping) });
  }

  /** False when another process is at it. */
  async sweep(stopping: AbortSignal = new AbortController().signal): Promise<boolean> {
    // Of deleted organizations nobody tells; those of deleted projects that are still here were overlooked.
    for (const id of await this.keeping.projectsWithoutOwner(BATCH)) await this.removal.removeProject(id);
    for (;;) {
      const removed = await this.database.transaction(async () => ((await this.keeping.tryLock()) ? this.release() : undefined));
      if (removed === undefined) return false;
      for (const id of removed) await this.artifacts.remove(id);
      if (removed.length < BATCH || stopping.aborted) break;
    }
    while (!stopping.aborted && (await this.logs.deleteOfThoseBefore(new Date(this.clock.now().getTime() - LOGS_KEPT_MS), BATCH)) === BATCH);
    await this.garbage.collect(this.kept());
    return true;
  }

  /** Hosts and row first: nobody is led to files that are not there. */
  private async release(): Promise<string[]> {
    const ids = await this.keeping.unkept(RULES, BATCH);
    for (const id of ids) await this.aliases.release(deployLabel(id));
    await this.keeping.markRemoved(ids);
    return ids;
  }

  private async *kept(): AsyncGenerator<string> {
    for (let after = ''; ;) {
      const ids = await this.keeping.kept(after, 1_000);
      yield* ids;
      if (ids.length < 1_000) return;
      after = ids.at(-1)!;
    }
  }
}
