import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { JobPostponed } from '../../../platform/background/define-job.js';
import { Log } from '../../../platform/logging/log.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Clock } from '../../../platform/time/clock.js';
import { type LayerBounds, type LayerLease, PackageLayers, type PackageLock } from '../../builds/package-layers.js';
import { wantedBy, type WantedPackages } from '../domain/packages.js';
import { PackageLocksStore } from '../persistence/package-locks.store.js';
import { SandboxSettings } from '../sandbox.settings.js';
import { choiceOfSet } from '../domain/package-sets.js';
import { SetStates } from './set-states.js';
import { Turns } from '../../../platform/time/turns.js';

const MEBIBYTE = 1_048_576;
/** What one organization may have installed at once. */
const BOUNDS = { bytes: 250 * MEBIBYTE, files: 20_000 };
/** Sets are known and few. */
const BOUNDS_OF_SETS = { bytes: 600 * MEBIBYTE, files: 40_000 };
/** Each takes a user of the host, and up to a gibibyte of memory. */
const AT_ONCE = 2;
/** How often a job looks whether its packages are there. */
const LOOK_EVERY_MS = 500;
/** A caller that asks again within this time gets the same failure, because it may have left before it came. */
const FAILURE_KEPT_MS = 30_000;

/** Installs packages on this worker. */
@Injectable()
export class PackageInstaller implements OnApplicationBootstrap {
  private readonly times = new WeakMap<Error, number>();
  private readonly installing = new Map<string, Promise<number>>();
  private readonly turns = new Turns({ atOnce: AT_ONCE });
  private readonly stop = new AbortController();

  constructor(
    private readonly layers: PackageLayers,
    private readonly locks: PackageLocksStore,
    private readonly states: SetStates,
    private readonly settings: SandboxSettings,
    private readonly clock: Clock,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => {
      this.stop.abort(new Error('The worker stops.'));
    });
  }

  /** Installs the sets that the operator named, while the worker already works. */
  onApplicationBootstrap(): void {
    if (!this.settings.enabled) return;
    // A failure is logged, and the set says so.
    for (const set of this.settings.packageSets) void this.begin(wantedBy('', choiceOfSet(set))).catch(() => undefined);
  }

  /**
   * Returns the packages if this machine has them, and otherwise begins to install them and returns null.
   *
   * @throws {PackageInstallFailed}, {@link PackageLayersUnavailable} when that failed a moment ago.
   */
  async lease(wanted: WantedPackages): Promise<LayerLease | null> {
    const found = await this.leaseFound(wanted);
    if (found !== null) return found;
    const begun = this.installing.get(wanted.id);
    const work = begun ?? this.begin(wanted);
    // One that has failed before rejects at once; one that is running does not.
    await Promise.race([work, Promise.resolve()]);
    return null;
  }

  /**
   * Returns the packages if this machine has them.
   *
   * @throws {JobPostponed} while they are being installed: the job goes back to its queue.
   * @throws as {@link lease}.
   */
  async leaseOrPostpone(wanted: WantedPackages): Promise<LayerLease> {
    const lease = await this.lease(wanted);
    if (lease !== null) return lease;
    throw new JobPostponed(LOOK_EVERY_MS, {}, new Error('Packages are being installed.'));
  }

  /**
   * Resolves and installs packages, unless this machine has them.
   *
   * @returns how long that took; 0 when another caller had begun it.
   * @throws {PackageInstallFailed}
   * @throws {PackageLayersUnavailable}
   */
  async install(wanted: WantedPackages): Promise<number> {
    const begun = this.installing.get(wanted.id);
    if (begun === undefined) return this.begin(wanted);
    await begun;
    return 0;
  }

  /** Returns how long the installation that failed with this error took; 0 for all but the first who asks. */
  takeTimeOf(error: Error): number {
    const tookMs = this.times.get(error) ?? 0;
    this.times.delete(error);
    return tookMs;
  }

  private begin(wanted: WantedPackages): Promise<number> {
    const work = this.turns.take(() => this.installNow(wanted));
    this.installing.set(wanted.id, work);
    const forget = (): void => {
      if (this.installing.get(wanted.id) === work) this.installing.delete(wanted.id);
    };
    work.then(forget, (error: unknown) => {
      this.log.warn(
        { ecosystem: wanted.ecosystem, packages: wanted.id, reason: String(error) },
        'Packages were not installed.',
      );
      setTimeout(forget, FAILURE_KEPT_MS).unref();
    });
    return work;
  }

  private async installNow(wanted: WantedPackages): Promise<number> {
    const { set } = wanted;
    const startedAtMs = performance.now();
    try {
      if (set !== undefined) await this.states.put(set, { state: 'installing' });
      const known = await this.lockOf(wanted);
      const lock = known ?? (await this.layers.lock(wanted.ecosystem, wanted.packages, this.stop.signal));
      const present = await this.layers.lease(lock);
      present?.release();
      if (present === null) await this.layers.install(lock, this.boundsOf(wanted), this.stop.signal);
      // Only now, so that a known lock is one that can be installed.
      if (known === null) await this.save(wanted, lock);
      if (set !== undefined) await this.states.put(set, { state: 'available' });
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'The installation failed.';
      if (set !== undefined) await this.states.put(set, { state: 'unavailable', reason }).catch(() => undefined);
      if (error instanceof Error) this.times.set(error, Math.ceil(performance.now() - startedAtMs));
      throw error;
    }
    return Math.ceil(performance.now() - startedAtMs);
  }

  private async leaseFound(wanted: WantedPackages): Promise<LayerLease | null> {
    const lock = await this.lockOf(wanted);
    const lease = lock === null ? null : await this.layers.lease(lock);
    // It is true to the hour, and without it the packages are there all the same.
    if (lease !== null) await this.locks.markUsed(wanted.id, this.clock.now()).catch(() => undefined);
    return lease;
  }

  /** A lock for another interpreter may name files that do not fit. */
  private async lockOf({ id, ecosystem }: WantedPackages): Promise<PackageLock | null> {
    const found = await this.locks.find(id);
    if (found === null || found.runtime !== this.layers.runtimeOf(ecosystem)) return null;
    return { ecosystem, text: found.lock };
  }

  private async save({ id, orgId, ecosystem }: WantedPackages, { text }: PackageLock): Promise<void> {
    const at = this.clock.now();
    const runtime = this.layers.runtimeOf(ecosystem);
    await this.locks.save({ id, orgId, ecosystem, runtime, lock: text, createdAt: at, usedAt: at });
  }

  private boundsOf({ set }: WantedPackages): LayerBounds {
    return { ...(set === undefined ? BOUNDS : BOUNDS_OF_SETS), allBytes: this.settings.packagesBytes };
  }
}
