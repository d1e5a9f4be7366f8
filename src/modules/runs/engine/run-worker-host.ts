import { Injectable } from '@nestjs/common';
import { DatabaseNotifications } from '../../../platform/database/database-notifications.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { RUNS_READY } from '../persistence/run-claims.store.js';

/** What a worker needs of its process. */
@Injectable()
export class RunWorkerHost {
  constructor(
    private readonly notifications: DatabaseNotifications,
    private readonly shutdown: Shutdown,
    private readonly log: Log,
  ) {}

  onReady(look: () => void): void {
    this.notifications.listen(RUNS_READY, look);
  }

  onStop(stop: (leftMs: number) => Promise<void>): void {
    this.shutdown.at('workers', () => stop(this.shutdown.jobsLeftMs));
  }

  faulted(runId: string, error: unknown): void {
    this.log.error({ runId, error }, 'A run of an agent met a fault of the service. It goes on in a moment.');
  }
}
