import type { Ids } from '../ids/ids.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import type { Log } from '../logging/log.js';
import { defineSchedule, type ScheduleHandler } from './define-schedule.js';
import type { ScheduleLease, ScheduleLeases } from './schedule-leases.js';
import type { ScheduleMetrics } from './schedule.metrics.js';
import { Schedules } from './schedules.js';

const everySecond = defineSchedule({ name: 'every-second', summary: 'Is tested.', everyMs: 1_000, runsIn: 'each' });
const inOne = defineSchedule({ name: 'in-one', summary: 'Is tested.', everyMs: 1_000, runsIn: 'one' });

/** A handler each run of which lasts until the test ends it. */
class HeldHandler implements ScheduleHandler {
  runs = 0;
  end: (() => void) | undefined;
  fail: ((error: Error) => void) | undefined;
  stopping: AbortSignal | undefined;

  run(stopping: AbortSignal): Promise<void> {
    this.runs += 1;
    this.stopping = stopping;
    return new Promise((resolve, reject) => {
      this.end = resolve;
      this.fail = reject;
    });
  }
}

/** One lease that is free, taken by another process, or lost while it is held. */
class FakeLeases {
  isTakenByAnother = false;
  readonly lost = new AbortController();
  readonly released: boolean[] = [];

  take(): Promise<ScheduleLease | null> {
    return Promise.resolve(
      this.isTakenByAnother
        ? null
        : {
            lost: this.lost.signal,
            release: (succeeded) => {
              this.released.push(succeeded);
              return Promise.resolve();
            },
          },
    );
  }

  lastSuccess(): Promise<Date | null> {
    return Promise.resolve(new Date(42_000));
  }
}

describe('Schedules', () => {
  const lines: { level: string }[] = [];
  const log = Object.fromEntries(
    ['info', 'warn', 'error', 'debug'].map((level) => [
      level,
      () => {
        lines.push({ level });
      },
    ]),
  ) as unknown as Log;
  const clock = { now: () => new Date() };
  let metrics: Record<'started' | 'succeeded' | 'seen' | 'failed', jest.Mock>;
  let leases: FakeLeases;
  let shutdown: Shutdown;
  let schedules: Schedules;
  let handler: HeldHandler;

  beforeEach(() => {
    jest.useFakeTimers();
    lines.length = 0;
    metrics = { started: jest.fn(), succeeded: jest.fn(), seen: jest.fn(), failed: jest.fn() };
    leases = new FakeLeases();
    shutdown = new Shutdown();
    const ids = { next: () => 'prc_1' } as unknown as Ids;
    schedules = new Schedules(
      leases as unknown as ScheduleLeases,
      metrics as unknown as ScheduleMetrics,
      clock,
      log,
      ids,
      shutdown,
    );
    handler = new HeldHandler();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('runs a schedule again a period after its last run ended, however long that took', async () => {
    schedules.start(everySecond, handler);
    await jest.advanceTimersByTimeAsync(999);
    expect(handler.runs).toBe(0);
    await jest.advanceTimersByTimeAsync(10_001);
    expect(handler.runs).toBe(1);

    handler.end!();
    await jest.advanceTimersByTimeAsync(999);
    expect(handler.runs).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(handler.runs).toBe(2);
  });

  it('uses firstAfterMs for the first run', async () => {
    schedules.start({ ...everySecond, firstAfterMs: 10 }, handler);
    await jest.advanceTimersByTimeAsync(10);
    expect(handler.runs).toBe(1);
  });

  it('retries after a failure, and logs the first failure and the first success after it', async () => {
    schedules.start(everySecond, handler);
    await jest.advanceTimersByTimeAsync(1_000);
    for (let failure = 0; failure < 3; failure++) {
      handler.fail!(new Error('unavailable'));
      await jest.advanceTimersByTimeAsync(1_000);
    }
    expect(handler.runs).toBe(4);
    handler.end!();
    await jest.advanceTimersByTimeAsync(0);

    expect(lines.map(({ level }) => level)).toEqual(['warn', 'debug', 'debug', 'info']);
    expect(metrics.failed).toHaveBeenCalledTimes(3);
    expect(metrics.succeeded).toHaveBeenCalledTimes(1);
  });

  it('waits for the last run at the end of the process, and starts none after it', async () => {
    schedules.start(everySecond, handler);
    await jest.advanceTimersByTimeAsync(1_000);
    let isGone = false;
    const gone = shutdown.onApplicationShutdown().then(() => {
      isGone = true;
    });
    await jest.advanceTimersByTimeAsync(100);
    expect(handler.stopping!.aborted).toBe(true);
    expect(isGone).toBe(false);

    handler.fail!(new Error('stopped'));
    await gone;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(handler.runs).toBe(1);
    expect(lines).toEqual([]);
  });

  it('runs a one-process schedule only with its lease, and reports successes of other processes', async () => {
    leases.isTakenByAnother = true;
    schedules.start(inOne, handler);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(handler.runs).toBe(0);
    expect(metrics.seen).toHaveBeenCalledWith(inOne, new Date(42_000));

    leases.isTakenByAnother = false;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(handler.runs).toBe(1);
    handler.end!();
    await jest.advanceTimersByTimeAsync(0);
    expect(leases.released).toEqual([true]);
  });

  it('releases the lease of a failed run without recording a success', async () => {
    schedules.start(inOne, handler);
    await jest.advanceTimersByTimeAsync(1_000);
    handler.fail!(new Error('unavailable'));
    await jest.advanceTimersByTimeAsync(0);
    expect(leases.released).toEqual([false]);
  });

  it('aborts a run when its lease is lost', async () => {
    schedules.start(inOne, handler);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(handler.stopping!.aborted).toBe(false);
    leases.lost.abort();
    expect(handler.stopping!.aborted).toBe(true);
  });
});
