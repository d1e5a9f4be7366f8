import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
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
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly keeping: DeployKeepingStore,
    private readonly removal: DeployRemoval,
    private readonly aliases: AliasesService,
    private readonly artifacts: ArtifactsService,
    private readonly garbage: GarbageCollectionService,
    private readonly logs: DeployLogStore,
    private readonly clock: Clock,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  onApplicationBootstrap(): void {
    this.sweepIn(FIRST_SWEEP_MS);
  }

  /** False when another process is at it. */
  async sweep(): Promise<boolean> {
    // Of deleted organizations nobody tells; those of deleted projects that are still here were overlooked.
    for (const id of await this.keeping.projectsWithoutOwner(BATCH)) await this.removal.removeProject(id);
    for (;;) {
      const removed = await this.database.transaction(async () => ((await this.keeping.tryLock()) ? this.release() : undefined));
      if (removed === undefined) return false;
      for (const id of removed) await this.artifacts.remove(id);
      if (removed.length < BATCH || this.stopped) break;
    }
    while (!this.stopped && (await this.logs.deleteOfThoseBefore(new Date(this.clock.now().getTime() - LOGS_KEPT_MS), BATCH)) === BATCH);
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

  private sweepIn(ms: number): void {
    this.timer = setTimeout(() => {
      this.running = this.sweep().then(() => undefined, (error: unknown) => {
        this.log.warn({ error }, 'Deploys could not be swept; trying again in an hour.');
      }).then(() => { if (!this.stopped) this.sweepIn(SWEEP_EVERY_MS); });
    }, ms);
    this.timer.unref();
  }

  private async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }
}
