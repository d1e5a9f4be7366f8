import type { Log } from '../logging/log.js';
import { PeriodicJobs } from './schedules.js';
import { Shutdown } from '../lifecycle/shutdown.js';

/** A job each of whose runs lasts until the test ends it. */
class HeldJob {
  readonly name = 'waiting for the test';
  readonly everyMs = 1_000;
  runs = 0;
  end: (() => void) | undefined;
  fail: ((error: Error) => void) | undefined;
  stopping: AbortSignal | undefined;

  run(stopping: AbortSignal): Promise<void> {
    this.runs += 1;
    this.stopping = stopping;
    return new Promise((resolve, reject) => { this.end = resolve; this.fail = reject; });
  }
}

describe('periodic jobs', () => {
  const lines: { level: string; fields: object }[] = [];
  const log = Object.fromEntries(
    ['info', 'warn', 'error', 'debug'].map((level) => [level, (fields: object) => { lines.push({ level, fields }); }]),
  ) as unknown as Log;
  let shutdown: Shutdown;
  let jobs: PeriodicJobs;
  let job: HeldJob;

  beforeEach(() => {
    jest.useFakeTimers();
    lines.length = 0;
    shutdown = new Shutdown();
    jobs = new PeriodicJobs(log, shutdown);
    job = new HeldJob();
  });

  afterEach(() => { jest.useRealTimers(); });

  it('runs one after the other, however long one takes', async () => {
    jobs.start(job);
    await jest.advanceTimersByTimeAsync(999);
    expect(job.runs).toBe(0);
    await jest.advanceTimersByTimeAsync(10_001);
    expect(job.runs).toBe(1);

    job.end!();
    await jest.advanceTimersByTimeAsync(999);
    expect(job.runs).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(job.runs).toBe(2);
  });

  it('may begin at another time than it goes on', async () => {
    jobs.start({ name: 'soon', everyMs: 1_000, firstAfterMs: 10, run: (stopping) => job.run(stopping) });
    await jest.advanceTimersByTimeAsync(10);
    expect(job.runs).toBe(1);
  });

  it('goes on after a failure, and says once that it fails and once that it works again', async () => {
    jobs.start(job);
    await jest.advanceTimersByTimeAsync(1_000);
    for (let failure = 0; failure < 3; failure++) {
      job.fail!(new Error('away'));
      await jest.advanceTimersByTimeAsync(1_000);
    }
    expect(job.runs).toBe(4);
    job.end!();
    await jest.advanceTimersByTimeAsync(0);

    expect(lines.map(({ level }) => level)).toEqual(['warn', 'debug', 'debug', 'info']);
  });

  it('lets the last run end with the process, tells it so, and begins none after', async () => {
    jobs.start(job);
    await jest.advanceTimersByTimeAsync(1_000);
    let isGone = false;
    const gone = shutdown.onApplicationShutdown().then(() => { isGone = true; });
    await jest.advanceTimersByTimeAsync(100);
    expect(job.stopping!.aborted).toBe(true);
    expect(isGone).toBe(false);

    job.fail!(new Error('told to stop'));
    await gone;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(job.runs).toBe(1);
    expect(lines).toEqual([]);
  });
});
