import { Injectable } from '@nestjs/common';
import { AwaitedJobs, JobFailed, JobUnanswered } from '../../../platform/queues/awaited-jobs.js';
import type { Call } from '../../auth/caller.js';
import { type PackageChoice, wantedBy, type WantedPackages } from '../domain/packages.js';
import { packagesJob, type PackagesPayload, type PackagesResult } from '../jobs/packages.job.js';
import { PackageLocksStore } from '../persistence/package-locks.store.js';
import { ExecutionPackagesRefused, PackagesUnavailable } from '../sandbox.errors.js';
import { PackagesBilling } from './packages-billing.js';

/** HTTP clients wait no longer for an answer, and the code has to run, too. Other callers may wait longer. */
export const LONGEST_INSTALL_WAIT_MS = 28_000;
const RETRY_AFTER_SECONDS = 5;
/** What is missing is not repaired within seconds. */
const RETRY_UNAVAILABLE_AFTER_SECONDS = 60;
/** The queue gives up a job that has not begun a moment before its caller, so that its price is no longer held. */
const BEGINS_WITHIN = 0.9;
const INSTALLING = 'The packages are being installed.';

interface Ask {
  /** The ID of the execution or session that needs them. */
  readonly executionId: string;
  readonly withinMs: number;
}

class WaitedLongEnough extends Error {}

/** Has packages installed that nobody has used before. Later executions find them. */
@Injectable()
export class PackageAdmission {
  constructor(
    private readonly locks: PackageLocksStore,
    private readonly jobs: AwaitedJobs,
    private readonly billing: PackagesBilling,
  ) {}

  /**
   * Returns what {@link prepare} may cost at most, in nano-dollars: nothing for sets, and for packages that were
   * installed before.
   *
   * @throws {BudgetExceeded} `budget_exceeded`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async rehearse(call: Call, choice: PackageChoice): Promise<bigint> {
    const wanted = wantedBy(call.org.id, choice);
    if (wanted.orgId === null || (await this.isInstalled(wanted))) return 0n;
    return this.billing.rehearse(call);
  }

  /**
   * Resolves when a worker has installed the packages once. Another worker then installs the same from their lock.
   *
   * @throws {ExecutionPackagesRefused} `package_install_failed`
   * @throws {PackagesUnavailable} `packages_unavailable`, also while they are being installed.
   * @throws {BudgetExceeded} `budget_exceeded`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async prepare(call: Call, choice: PackageChoice, ask: Ask): Promise<void> {
    const wanted = wantedBy(call.org.id, choice);
    if (await this.isInstalled(wanted)) return;
    const paidAs = wanted.orgId === null ? undefined : await this.billing.hold(call, ask.executionId);
    const result = await this.install({ wanted, paidAs }, { ...ask, subject: call.org.id });
    if (result.kind === 'failed') throw new ExecutionPackagesRefused(result.message, result.log);
    if (result.kind === 'unavailable')
      throw new PackagesUnavailable(result.reason, { retryAfterSeconds: RETRY_UNAVAILABLE_AFTER_SECONDS });
  }

  /** Another worker may have installed them. This one then does it again from their lock, free of charge. */
  private async isInstalled({ id }: WantedPackages): Promise<boolean> {
    return (await this.locks.known([id])).length > 0;
  }

  private async install(
    { wanted, paidAs }: { readonly wanted: WantedPackages; readonly paidAs: string | undefined },
    { executionId, withinMs, subject }: Ask & { readonly subject: string },
  ): Promise<PackagesResult> {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      stop.abort(new WaitedLongEnough());
    }, withinMs);
    const payload: PackagesPayload = { wanted, ...(paidAs === undefined ? {} : { paidAs }) };
    try {
      // A job that has not begun by then is removed, and the price of its work is no longer held.
      const startWithinMs = Math.ceil(BEGINS_WITHIN * withinMs);
      const patience = { startWithinMs, finishWithinMs: withinMs, signal: stop.signal, subject };
      return await this.jobs.run<PackagesPayload, PackagesResult>(packagesJob, payload, {
        ...patience,
        jobId: `packages-${executionId}`,
      });
    } catch (error) {
      const isWaiting = error instanceof WaitedLongEnough || (error instanceof JobUnanswered && error.hadBegun);
      // The worker goes on, and charges for it.
      if (isWaiting) throw new PackagesUnavailable(INSTALLING, { retryAfterSeconds: RETRY_AFTER_SECONDS });
      if (paidAs !== undefined) await this.billing.release(paidAs);
      if (!(error instanceof JobFailed || error instanceof JobUnanswered)) throw error;
      const reason = 'No worker could install the packages.';
      throw new PackagesUnavailable(reason, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    } finally {
      clearTimeout(timer);
    }
  }
}
