import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DatabaseNotifications } from '../../../platform/database/database-notifications.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { DatabaseOperationsStore, OPERATIONS_DUE } from '../persistence/database-operations.store.js';
import { OperatingHost } from './operating-host.js';
import { OPERATION_LEASE_MS, OperationLeases } from './operation-leases.js';
import { OperationInterrupted, OperationRunner } from './operation-runner.js';
import type { ClaimedOperation } from './operation.js';

/** How many operations a host does at once. Others wait, because each takes the disk. */
const CONCURRENCY = 4;
/** Notifications get lost with their connection. */
const POLL_MS = 1_000;

/** Takes the operations of this host that are due, and does them. */
@Injectable()
export class OperationWorker implements OnApplicationBootstrap {
  private readonly running = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private lookAgain = false;
  private isStopping = false;
  private failedLast = false;
  private isFirstOfHost = true;

  constructor(
    private readonly host: OperatingHost,
    private readonly operations: DatabaseOperationsStore,
    private readonly runner: OperationRunner,
    private readonly leases: OperationLeases,
    private readonly notifications: DatabaseNotifications,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  onApplicationBootstrap(): void {
    this.leases.start();
    this.timer = setInterval(() => {
      this.look();
    }, POLL_MS).unref();
    this.notifications.listen(OPERATIONS_DUE, () => {
      this.look();
    });
  }

  /** One look at a time. One that is asked for meanwhile follows. */
  private look(): void {
    if (this.isStopping) return;
    if (this.looking !== undefined) {
      this.lookAgain = true;
      return;
    }
    this.lookAgain = false;
    this.looking = this.take().finally(() => {
      this.looking = undefined;
      if (this.lookAgain) this.look();
    });
  }

  /** Only one process at a time has the data of a host, so what an earlier one was doing is taken at once. */
  private async take(): Promise<void> {
    const limit = CONCURRENCY - this.running.size;
    const hostId = this.host.id;
    if (limit <= 0 || hostId === undefined) return;
    try {
      const { workerId } = this.leases;
      if (this.isFirstOfHost) await this.operations.endEarlierLeases(hostId, workerId);
      this.isFirstOfHost = false;
      const claimed = await this.operations.claim(hostId, { workerId, limit, leaseMs: OPERATION_LEASE_MS });
      this.failedLast = false;
      for (const operation of claimed) this.begin(operation);
    } catch (error) {
      // While the database is unavailable, every look fails.
      if (!this.failedLast) this.log.warn({ error }, 'Operations on databases could not be taken.');
      this.failedLast = true;
    }
  }

  private begin(operation: ClaimedOperation): void {
    const signal = this.leases.hold(operation.id);
    const run = this.runner.run(operation, signal).finally(() => {
      this.leases.release(operation.id);
      this.running.delete(run);
      this.look();
    });
    this.running.add(run);
    // A claim that was under way when the process began to stop.
    if (this.isStopping) this.leases.stop(new OperationInterrupted());
  }

  private async stop(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    await this.looking;
    this.leases.stop(new OperationInterrupted());
    await Promise.all(this.running);
  }
}
