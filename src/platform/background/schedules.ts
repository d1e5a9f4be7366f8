import { Injectable } from '@nestjs/common';
import { Ids } from '../ids/ids.js';
import { PROCESS_ID } from '../ids/platform.ids.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Log } from '../logging/log.js';
import { Clock } from '../time/clock.js';
import type { ScheduleDefinition, ScheduleHandler } from './define-schedule.js';
import { ScheduleLeases } from './schedule-leases.js';
import { ScheduleMetrics } from './schedule.metrics.js';

/** How often a process asks whether it may run a schedule that only one process runs. */
const ASK_AT_MOST_EVERY_MS = 60_000;

/**
 * Runs schedules for as long as the process lives. Runs of one schedule never overlap, and shutdown waits for the last
 * one. A failed run is retried at its next turn.
 */
@Injectable()
export class Schedules {
  private readonly holder: string;
  private readonly stopping = new AbortController();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly leases: ScheduleLeases,
    private readonly metrics: ScheduleMetrics,
    private readonly clock: Clock,
    private readonly log: Log,
    ids: Ids,
    shutdown: Shutdown,
  ) {
    this.holder = ids.next(PROCESS_ID);
    shutdown.at('workers', () => this.stop());
  }

  start(schedule: ScheduleDefinition, handler: ScheduleHandler): void {
    this.metrics.started(schedule, this.clock.now());
    const pauseMs = schedule.runsIn === 'one' ? Math.min(schedule.everyMs, ASK_AT_MOST_EVERY_MS) : schedule.everyMs;
    this.runIn(schedule.firstAfterMs ?? pauseMs, { schedule, handler, pauseMs, failedLast: false });
  }

  private runIn(ms: number, turn: Turn): void {
    if (this.stopping.signal.aborted) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      const run = this.take(turn).then((failed) => {
        this.running.delete(run);
        this.runIn(turn.pauseMs, { ...turn, failedLast: failed });
      });
      this.running.add(run);
    }, ms);
    timer.unref();
    this.timers.add(timer);
  }

  /**
   * Logs only the first failure and the first success after it: while a server is unavailable, every turn fails.
   * @returns true when the run failed.
   */
  private async take({ schedule, handler, failedLast }: Turn): Promise<boolean> {
    try {
      await (schedule.runsIn === 'one'
        ? this.runForAll(schedule, handler)
        : this.run(schedule, handler, this.stopping.signal));
    } catch (error) {
      if (this.stopping.signal.aborted) return true;
      this.metrics.failed(schedule);
      if (failedLast) this.log.debug({ error, schedule: schedule.name }, 'A schedule failed again.');
      else this.log.warn({ error, schedule: schedule.name }, 'A schedule failed. It is retried at its next turn.');
      return true;
    }
    if (failedLast) this.log.info({ schedule: schedule.name }, 'A schedule succeeded again after failures.');
    return false;
  }

  private async run(schedule: ScheduleDefinition, handler: ScheduleHandler, stopping: AbortSignal): Promise<void> {
    const startedAt = this.clock.now();
    await handler.run(stopping);
    const now = this.clock.now();
    this.metrics.succeeded(schedule, now, (now.getTime() - startedAt.getTime()) / 1000);
  }

  private async runForAll(schedule: ScheduleDefinition, handler: ScheduleHandler): Promise<void> {
    const lease = await this.leases.take(schedule.name, this.holder, schedule.everyMs);
    if (lease === null) {
      const lastSuccess = await this.leases.lastSuccess(schedule.name);
      if (lastSuccess !== null) this.metrics.seen(schedule, lastSuccess);
      return;
    }
    let succeeded = false;
    try {
      await this.run(schedule, handler, AbortSignal.any([this.stopping.signal, lease.lost]));
      // A run that ended early has work left, so the next process may start at once.
      succeeded = !this.stopping.signal.aborted;
    } finally {
      await lease.release(succeeded);
    }
  }

  private async stop(): Promise<void> {
    this.stopping.abort();
    for (const timer of this.timers) clearTimeout(timer);
    await Promise.all(this.running);
  }
}

interface Turn {
  readonly schedule: ScheduleDefinition;
  readonly handler: ScheduleHandler;
  readonly pauseMs: number;
  readonly failedLast: boolean;
}
