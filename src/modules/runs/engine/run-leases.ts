import { Injectable } from '@nestjs/common';
import { DatabaseNotifications } from '../../../platform/database/database-notifications.js';
import { Ids } from '../../../platform/ids/ids.js';
import { RunLost, RunWorkerStops } from '../domain/run-lost.js';
import type { Run } from '../domain/run.js';
import { RUNS_ENDED, RunClaimsStore } from '../persistence/run-claims.store.js';
import { RUN_WORKER_ID } from '../runs.ids.js';
import type { HeldRun } from './held-run.js';

export const RUN_LEASE_MS = 30_000;
const RENEW_EVERY_MS = 5_000;
/** Handing a run back is one write. */
const HAND_BACK_MS = 1_000;
/** A worker that could not renew for this long begins nothing more, before others take the run. */
const GIVE_UP_AFTER_MS = 20_000;

class Lease implements HeldRun {
  isStopping = false;
  renewedAtMs = performance.now();
  readonly controller = new AbortController();

  constructor(readonly run: Run) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  requireLease(): void {
    if (performance.now() - this.renewedAtMs > GIVE_UP_AFTER_MS) this.controller.abort(new RunLost());
    this.signal.throwIfAborted();
  }
}

/** Renews the leases of the runs that this worker has, all with one statement, and aborts those that are lost. */
@Injectable()
export class RunLeases {
  readonly workerId: string;
  private readonly held = new Map<string, Lease>();
  private timer: NodeJS.Timeout | undefined;
  private renewing: Promise<void> | undefined;
  private isStopping = false;

  constructor(
    ids: Ids,
    private readonly claims: RunClaimsStore,
    private readonly notifications: DatabaseNotifications,
  ) {
    this.workerId = ids.next(RUN_WORKER_ID);
  }

  get size(): number {
    return this.held.size;
  }

  start(): void {
    this.timer ??= setInterval(() => void this.renew(), RENEW_EVERY_MS).unref();
    // A run that is cancelled stops soon, and not only with the next renewal.
    this.notifications.listen(RUNS_ENDED, () => void this.renew());
  }

  hold(run: Run): HeldRun {
    const lease = new Lease(run);
    // A claim that was under way when the process began to stop.
    lease.isStopping = this.isStopping;
    this.held.set(run.id, lease);
    return lease;
  }

  /** The lease is not renewed any more. */
  release({ run }: HeldRun): void {
    if (this.held.get(run.id)?.run.attempt === run.attempt) this.held.delete(run.id);
  }

  /** Nothing new begins. What runs now has `graceMs` to end. */
  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    for (const lease of this.held.values()) lease.isStopping = true;
    await this.released(graceMs);
    for (const lease of this.held.values()) lease.controller.abort(new RunWorkerStops());
    // They are handed back before the connections of this process close.
    await this.released(HAND_BACK_MS);
    clearInterval(this.timer);
  }

  private async released(withinMs: number): Promise<void> {
    const deadlineMs = performance.now() + withinMs;
    while (this.held.size > 0 && performance.now() < deadlineMs)
      await new Promise((resolve) => {
        setTimeout(resolve, 25);
      });
  }

  private async renew(): Promise<void> {
    await (this.renewing ??= this.renewAll().finally(() => {
      this.renewing = undefined;
    }));
  }

  private async renewAll(): Promise<void> {
    const leases = [...this.held.values()];
    if (leases.length === 0) return;
    const beganMs = performance.now();
    const kept = await this.claims
      .renew(
        leases.map(({ run }) => run),
        RUN_LEASE_MS,
      )
      .catch(() => undefined);
    for (const lease of leases) {
      if (kept?.includes(lease.run.id) === true) lease.renewedAtMs = beganMs;
      else if (kept !== undefined || performance.now() - lease.renewedAtMs > GIVE_UP_AFTER_MS)
        lease.controller.abort(new RunLost());
    }
  }
}
