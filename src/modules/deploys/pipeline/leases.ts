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
/** The time that a deploy gets to finish when its worker stops. */
const GRACE_MS = 3_000;

/** Renews the leases of the deploys that this worker runs, and aborts a deploy whose lease is lost. */
@Injectable()
export class Leases {
  readonly workerId: string;
  private readonly held = new Set<AbortController>();

  constructor(
    ids: Ids,
    private readonly admission: AdmissionStore,
    shutdown: Shutdown,
  ) {
    this.workerId = ids.next(WORKER_ID);
    shutdown.at('workers', () => this.handBack());
  }

  /**
   * Runs `work` while this worker has the attempt. The signal is aborted by `cancelled`, with {@link AttemptOver} when
   * the lease is lost, and with {@link WorkerStops} when this process stops.
   */
  async during(
    attempt: Pick<Deploy, 'id' | 'attempt'>,
    cancelled: AbortSignal,
    work: (signal: AbortSignal) => Promise<void>,
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
    }, RENEW_EVERY_MS);
    this.held.add(controller);
    try {
      await work(controller.signal);
    } finally {
      clearInterval(timer);
      cancelled.removeEventListener('abort', follow);
      this.held.delete(controller);
    }
  }

  private async handBack(): Promise<void> {
    const deadlineMs = performance.now() + GRACE_MS;
    while (this.held.size > 0 && performance.now() < deadlineMs)
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    for (const controller of this.held) controller.abort(new WorkerStops());
  }
}
