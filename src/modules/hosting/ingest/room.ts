import type { Database } from '../../../platform/database/database.js';
import { ArtifactRefused } from '../hosting.errors.js';
import type { StoredBytesStore } from '../persistence/stored-bytes.store.js';

const MIB = 1_048_576;
/** Reserved ahead, so that a deploy of thousands of small files asks the database a few times only. */
const AHEAD = 16 * MIB;
/** But of what is left no more than this part, so that deploys at the same time that fit together are both kept. */
const AHEAD_OF_REST = 1 / 8;

/** Whose room it is, and what all deploys of the organization together may have. */
export interface RoomOf {
  readonly orgId: string;
  readonly deployId: string;
  readonly storedBytes: number;
}

/**
 * The room of one deploy within what its organization may store. It is reserved before anything is written, so that
 * deploys at the same time never exceed the limit together.
 */
export class Room {
  private taken = 0;
  private reserved = 0;
  private settled = false;
  private growing: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly store: StoredBytesStore,
    private readonly of: RoomOf,
  ) {}

  /** @throws {ArtifactRefused} `storage_limit_reached`: then, and whenever it is asked again. */
  async take(bytes: number): Promise<void> {
    this.taken += bytes;
    if (this.taken <= this.reserved) return;
    this.growing = this.growing.then(() => this.grow());
    await this.growing;
  }

  /**
   * Makes the deploy's row in the transaction that gives the reservation back. The sum is taken once more there: a
   * reservation may have expired.
   *
   * @throws {ArtifactRefused} `storage_limit_reached`
   */
  async settle(put: (bytes: number) => Promise<void>): Promise<void> {
    await this.database.transaction(async () => {
      await this.requireFree();
      await put(this.taken);
      await this.store.release(this.of.deployId);
    });
    this.settled = true;
  }

  /** To be called in any case. */
  async close(): Promise<void> {
    await this.growing.catch(() => undefined);
    if (this.settled || this.taken === 0) return;
    // What cannot be given back now expires; why the deploy failed matters more.
    await this.store.release(this.of.deployId).catch(() => undefined);
  }

  private async grow(): Promise<void> {
    if (this.taken <= this.reserved) return;
    this.reserved = await this.database.transaction(async () => {
      const rest = (await this.requireFree()) - this.taken;
      const reserved = this.taken + Math.floor(Math.min(AHEAD, rest * AHEAD_OF_REST));
      await this.store.reserve(this.of.orgId, this.of.deployId, reserved);
      return reserved;
    });
  }

  /** Locks the organization's sum until the running transaction ends, and tells what this deploy may have of it. */
  private async requireFree(): Promise<number> {
    const { orgId, deployId, storedBytes } = this.of;
    await this.store.lock(orgId);
    const others = await this.store.takenByOthers(orgId, deployId);
    // Other files of the deploy may ask for room while the database answers: those count here already.
    if (this.taken > storedBytes - others) throw storageLimitReached(storedBytes, others);
    return storedBytes - others;
  }
}

function storageLimitReached(limit: number, others: number): ArtifactRefused {
  return new ArtifactRefused(
    'storage_limit_reached',
    `The deploys of the organization can store ${inMib(limit)} MiB. Other deploys use ${inMib(others)} MiB, and this one needs more than the rest. ` +
      'Delete deploys that are no longer needed (DELETE /api/v1/deploys/{deploy_id}) or their projects, or choose a larger plan.',
  );
}

/** Two digits: of a limit that is met by a little, both numbers should not look the same. */
const inMib = (bytes: number): string => String(Math.round((bytes / MIB) * 100) / 100);
