import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { RUNS_READY, RunClaimsStore } from './persistence/run-claims.store.js';

/** Lets waiting runs go on. */
@Injectable()
export class RunWakesService {
  constructor(
    private readonly database: Database,
    private readonly claims: RunClaimsStore,
  ) {}

  /**
   * Wakes waiting runs, in the caller's transaction if there is one: a worker takes them and looks at their calls
   * again. A run that is running meanwhile looks again when its calls have ended. Runs that are over stay so.
   */
  async wake(orgId: string, runIds: readonly string[]): Promise<void> {
    if (runIds.length === 0) return;
    await this.database.transaction(async () => {
      await this.claims.wake(orgId, runIds);
      await this.claims.notify(RUNS_READY);
    });
  }
}
