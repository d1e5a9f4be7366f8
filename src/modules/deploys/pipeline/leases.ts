import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { WORKER_ID } from '../../../platform/ids/platform.ids.js';
import { JobAbandoned } from '../../../platform/queues/job-cancellations.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { AdmissionStore } from '../persistence/admission.store.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { LEASE_MS } from './begin.step.js';
import { AttemptOver, WorkerStops } from './deploy-run.js';

const RENEW_EVERY_MS = 5_000;
/** A worker that could not renew for this long stops on its own, before others consider it lost. */
const GIVE_UP_AFTER_MS = LEASE_MS - RENEW_EVERY_MS;
/** The time that a deploy gets to finish when its worker stops, unless the service has less time left. */
const GRACE_MS = 3_000;

/** What a worker does for one attempt. */
interface Held {
  /** Ends when `signal` is aborted, although it may take time to end. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** Hands the deploy back. It does not wait for the end of `work`. */
  readonly leave: () => Promise<void>;
  /** Cleans up after the lease, which may take long. It ends soon when the signal is aborted. */
  readonly cleanUp: () => Promise<void>;
}

/** Renews the leases of the deploys that this worker runs, and aborts a deploy whose lease is lost. */
@Injectable()
export class Leases {
  readonly workerId: string;
  private readonly held = new Map<AbortController, Held['leave']>();
  private readonly cleaning = new Set<AbortController>();
  private isStopping = false;

  constructor(
    ids: Ids,
    private readonly admission: AdmissionStore,
    private readonly shutdown: Shutdown,
  ) {
    this.workerId = ids.next(WORKER_ID);
    shutdown.at('workers', () => this.handBack());
  }

  /**
   * Runs `work` while this worker has the attempt, and then `cleanUp`. The signal is aborted by `cancelled`, with
   * {@link AttemptOver} when the lease is lost, and with {@link WorkerStops} when this process stops.
   */
  async during(
    attempt: Pick<Deploy, 'id' | 'attempt'>,
    cancelled: AbortSignal,
    { work, leave, cleanUp }: Held,
  ): Promise<void> {
    const controller = new AbortController();
    const over = (): void => {
      controller.abort(new AttemptOver());
    };
    const follow = (): void => {
      controller.abort(cancelled.reason instanceof JobAbandoned ? new AttemptOver() : new WorkerStops());
    };
    cancelled.addEventListener('abort', follow, { once: true });
    if (cancelled.aborted) follow();
    let renewedAtMs = performance.now();
    const timer = setInterval(() => {
      this.admission.renew(attempt.id, attempt.attempt, LEASE_MS).then(
        (isOurs) => {
          if (isOurs) renewedAtMs = performance.now();
          else over();
        },
        () => {
          if (performance.now() - renewedAtMs > GIVE_UP_AFTER_MS) over();
        },
      );
    }, RENEW_EVERY_MS).unref();
    this.held.set(controller, leave);
    if (this.isStopping) controller.abort(new WorkerStops());
    try {
      await work(controller.signal);
    } finally {
      clearInterval(timer);
      cancelled.removeEventListener('abort', follow);
      this.held.delete(controller);
    }
    this.cleaning.add(controller);
    if (this.isStopping) controller.abort(new WorkerStops());
    await cleanUp().finally(() => this.cleaning.delete(controller));
  }

  /**
   * Every deploy is handed back before the connections of this process close, even if its build takes long to end.
   * Otherwise its lease would expire, which counts as a loss.
   */
  private async handBack(): Promise<void> {
    this.isStopping = true;
    for (const controller of this.cleaning) controller.abort(new WorkerStops());
    const deadlineMs = performance.now() + Math.min(GRACE_MS, this.shutdown.jobsLeftMs);
    while (this.held.size > 0 && performance.now() < deadlineMs)
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    await Promise.allSettled(
      [...this.held].map(([controller, leave]) => {
        controller.abort(new WorkerStops());
        return leave();
      }),
    );
  }
}
