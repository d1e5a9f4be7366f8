import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { WORKER_ID } from '../../../platform/ids/platform.ids.js';
import { DatabaseOperationsStore } from '../persistence/database-operations.store.js';

export const OPERATION_LEASE_MS = 30_000;
const RENEW_EVERY_MS = 5_000;
/** A worker that could not renew for this long stops, before another takes the operation. */
const GIVE_UP_AFTER_MS = 20_000;

interface Lease {
  readonly controller: AbortController;
  renewedAtMs: number;
}

/** Renews the leases of the operations that this process has, and aborts those that are lost. */
@Injectable()
export class OperationLeases {
  readonly workerId: string;
  private readonly held = new Map<string, Lease>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    ids: Ids,
    private readonly operations: DatabaseOperationsStore,
  ) {
    this.workerId = ids.next(WORKER_ID);
  }

  get size(): number {
    return this.held.size;
  }

  start(): void {
    this.timer ??= setInterval(() => void this.renew(), RENEW_EVERY_MS).unref();
  }

  /** The signal is aborted when the lease is lost. */
  hold(operationId: string): AbortSignal {
    const controller = new AbortController();
    this.held.set(operationId, { controller, renewedAtMs: performance.now() });
    return controller.signal;
  }

  release(operationId: string): void {
    this.held.delete(operationId);
  }

  stop(reason: Error): void {
    clearInterval(this.timer);
    for (const { controller } of this.held.values()) controller.abort(reason);
  }

  private async renew(): Promise<void> {
    if (this.held.size === 0) return;
    const leases = [...this.held];
    const beganMs = performance.now();
    const kept = await this.operations
      .renew(
        this.workerId,
        leases.map(([id]) => id),
        OPERATION_LEASE_MS,
      )
      .catch(() => undefined);
    for (const [id, lease] of leases) {
      if (kept?.includes(id) === true) lease.renewedAtMs = beganMs;
      else if (kept !== undefined || performance.now() - lease.renewedAtMs > GIVE_UP_AFTER_MS)
        lease.controller.abort(new Error('The lease of the operation is lost.'));
    }
  }
}
