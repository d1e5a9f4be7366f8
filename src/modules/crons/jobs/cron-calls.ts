import { Injectable } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { AliasesService } from '../../hosting/aliases.service.js';
import { DeployEnvironment } from '../../hosting/deploy-environment.js';
import { EdgeCalls } from '../../hosting/edge-calls.js';
import { CRON_SECRET } from '../cron-secrets.js';
import type { RequestedRun } from '../persistence/cron-runs.store.js';
import { CronRequests } from './cron-requests.js';
import { CronRunLog, type Ending } from './cron-run-log.js';

/** Shorter than the time that the edge gives an app, so that the outcome is that of the cron. */
export const CALL_WITHIN_MS = 55_000;
const MAX_AT_ONCE = 100;

/** A run whose request is to be sent. */
export type DueRun = RequestedRun;

/** Sends the requests of crons to the production deploys, and records how each ended. No request is sent again. */
@Injectable()
export class CronCalls {
  private readonly active = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly edge: EdgeCalls,
    private readonly aliases: AliasesService,
    private readonly environments: DeployEnvironment,
    private readonly requests: CronRequests,
    private readonly runs: CronRunLog,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', async () => {
      this.stopping.abort();
      await Promise.all(this.active);
    });
  }

  get hasRoom(): boolean {
    return this.active.size < MAX_AT_ONCE && !this.stopping.signal.aborted;
  }

  begin(due: DueRun): void {
    const call = this.call(due).finally(() => {
      this.active.delete(call);
    });
    this.active.add(call);
  }

  private async call(due: DueRun): Promise<void> {
    const ending = await this.send(due).catch((error: unknown): Ending => {
      this.log.warn({ error, cronId: due.cronId, projectId: due.projectId }, 'The request of a cron failed.');
      return { outcome: 'failed', status: null };
    });
    await this.runs.end(due.runId, ending).catch((error: unknown) => {
      // A later tick records the run as lost.
      this.log.warn({ error, cronId: due.cronId }, 'The end of a cron run could not be stored.');
    });
  }

  private async send(due: DueRun): Promise<Ending> {
    const production = (await this.aliases.of(due.projectId)).find(({ kind }) => kind === 'production');
    if (production === undefined) return { outcome: 'no_production', status: null };
    const { label, deployId } = production;
    const secret = (await this.environments.of(deployId))[CRON_SECRET];
    const headers = await this.requests.headersOf(due, { label, secret });
    const late = AbortSignal.timeout(CALL_WITHIN_MS);
    try {
      const signal = AbortSignal.any([late, this.stopping.signal]);
      const status = await this.edge.get({ label, path: due.path, headers, signal });
      return { outcome: status < 400 ? 'succeeded' : 'failed', status };
    } catch (error) {
      if (late.aborted) return { outcome: 'timed_out', status: null };
      if (this.stopping.signal.aborted) return { outcome: 'lost', status: null };
      throw error;
    }
  }
}
