import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { ReachableTime } from '../../../platform/database/reachable-time.js';
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
  private readonly reachable: ReachableTime;

  constructor(
    private readonly sessions: SandboxSessionsStore,
    private readonly counter: SessionCounter,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.reachable = new ReachableTime({ clock, ping: () => sessions.ping(), graceMs: GRACE_MS });
  }

  onApplicationBootstrap(): void {
    this.reachable.begin();
  }

  /** Sessions that no worker has reported in time become `lost`. */
  async loseOverdue(): Promise<void> {
    for (const { id, orgId } of await this.sessions.loseOverdue(this.clock.now())) {
      this.log.warn({ sessionId: id, orgId }, 'Gave up a sandbox session: its worker is gone.');
      this.counter.ended('worker_lost');
    }
  }

  run(): Promise<void> {
    return this.reachable.run(() => this.loseOverdue());
  }
}
