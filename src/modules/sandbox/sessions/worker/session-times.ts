import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/time/clock.js';
import { SessionProcesses } from '../host/session-processes.js';
import { HeldSessions } from './held-sessions.js';
import { SessionRuns } from './session-runs.js';

const REPORT_EVERY_MS = 5_000;

/** Ends the sessions of this worker when their time is over. */
@Injectable()
export class SessionTimes {
  private reportedAtMs = performance.now();

  constructor(
    private readonly held: HeldSessions,
    private readonly runs: SessionRuns,
    private readonly processes: SessionProcesses,
    private readonly clock: Clock,
  ) {}

  get isAnyUsed(): boolean {
    return this.held.all.some(({ isUsed }) => isUsed);
  }

  async keep(): Promise<void> {
    const nowMs = this.clock.now().getTime();
    await Promise.all(
      this.held.all.map(async ({ isIdle, facts: { id, expiresAtMs } }) => {
        if (nowMs >= expiresAtMs) await this.held.end(id, 'expired');
        else if (isIdle) await this.held.end(id, 'idle');
      }),
    );
    if (performance.now() - this.reportedAtMs < REPORT_EVERY_MS) return;
    await this.held.reportAlive();
    this.reportedAtMs = performance.now();
  }

  async endAll(): Promise<void> {
    await Promise.all(this.held.all.map(({ facts: { id } }) => this.held.end(id, 'worker_stopped')));
    await this.runs.allWritten();
    await this.processes.closeAll();
  }
}
