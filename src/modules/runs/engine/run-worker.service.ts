import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { RunLost, RunWorkerStops } from '../domain/run-lost.js';
import { RunClaimsStore } from '../persistence/run-claims.store.js';
import type { Run } from '../domain/run.js';
import { RunsSettings } from '../runs.settings.js';
import { RunClaims } from './run-claims.js';
import { RunDriver } from './run-driver.js';
import { RunLeases } from './run-leases.js';
import { RunWorkerHost } from './run-worker-host.js';

/** The time that runs get to end their step when the worker stops, unless the service has less time left. */
const GRACE_MS = 8_000;
/** A run whose worker met a fault of the service is taken again after so long. */
const FAULT_PAUSE_MS = 5_000;

/** Takes runs that are ready, and drives many of them at once. A run that waits takes no slot. */
@Injectable()
export class RunWorkerService implements OnApplicationBootstrap {
  private taking: Promise<void> | undefined;
  private isAskedAgain = false;
  private isStopping = false;

  constructor(
    private readonly settings: RunsSettings,
    private readonly claims: RunClaims,
    private readonly store: RunClaimsStore,
    private readonly leases: RunLeases,
    private readonly driver: RunDriver,
    private readonly host: RunWorkerHost,
  ) {}

  onApplicationBootstrap(): void {
    this.leases.start();
    this.host.onReady(() => void this.takeRuns().catch(() => undefined));
    this.host.onStop(async (leftMs) => {
      this.isStopping = true;
      await this.leases.stop(Math.min(GRACE_MS, leftMs));
    });
  }

  /** Takes as many runs as there are slots. Calls meanwhile make it look once more. */
  takeRuns(): Promise<void> {
    this.isAskedAgain = true;
    this.taking ??= this.takeUntilNone().finally(() => {
      this.taking = undefined;
    });
    return this.taking;
  }

  private async takeUntilNone(): Promise<void> {
    while (this.isAskedAgain && !this.isStopping) {
      this.isAskedAgain = false;
      const free = this.settings.concurrency - this.leases.size;
      const taken = await this.claims.take(this.leases.workerId, free);
      for (const { run } of taken) void this.drive(run);
      if (taken.length === free && free > 0) this.isAskedAgain = true;
    }
  }

  private async drive(run: Run): Promise<void> {
    const held = this.leases.hold(run);
    try {
      await this.driver.drive(held);
    } catch (error) {
      await this.leave(run, held.signal.aborted ? held.signal.reason : error);
    } finally {
      this.leases.release(held);
    }
    void this.takeRuns().catch(() => undefined);
  }

  private async leave(run: Run, reason: unknown): Promise<void> {
    if (reason instanceof RunLost) return;
    const isStop = reason instanceof RunWorkerStops;
    if (!isStop) this.host.faulted(run.id, reason);
    await this.store
      .handBack(run, isStop ? { delayMs: 0, isLoss: false } : { delayMs: FAULT_PAUSE_MS, isLoss: true })
      .catch(() => undefined);
  }
}
