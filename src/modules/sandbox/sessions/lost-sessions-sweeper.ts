import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { SessionCounter } from '../metrics/session.metrics.js';
import { SandboxSessionsStore } from '../persistence/sandbox-sessions.store.js';
import { lostSessionsSchedule } from './jobs/sessions.job.js';

/** After an outage of the database, workers have this long to report which sessions they hold. */
const GRACE_MS = 10_000;

/** Gives up sessions whose worker is gone. It runs in every process, as no worker may be alive. */
@Injectable()
@Handles(lostSessionsSchedule)
export class LostSessionsSweeper implements ScheduleHandler, OnApplicationBootstrap {
  private reachableSinceMs: number | undefined;

  constructor(
    private readonly sessions: SandboxSessionsStore,
    private readonly counter: SessionCounter,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.reachableSinceMs = this.clock.now().getTime();
  }

  /** Sessions that no worker has reported in time become `lost`. */
  async loseOverdue(): Promise<void> {
    for (const { id, orgId } of await this.sessions.loseOverdue(this.clock.now())) {
      this.log.warn({ sessionId: id, orgId }, 'Gave up a sandbox session: its worker is gone.');
      this.counter.ended('worker_lost');
    }
  }

  async run(): Promise<void> {
    try {
      if (this.reachableSinceMs === undefined) {
        await this.sessions.ping();
        this.reachableSinceMs = this.clock.now().getTime();
      }
      if (this.clock.now().getTime() - this.reachableSinceMs >= GRACE_MS) await this.loseOverdue();
    } catch (error) {
      this.reachableSinceMs = undefined;
      throw error;
    }
  }
}
