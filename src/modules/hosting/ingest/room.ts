import type { Database } from '../../../platform/database/database.js';
import { ArtifactRefused } from '../hosting.errors.js';
import type { StoredBytesStore } from '../persistence/stored-bytes.store.js';

const MIB = 1_048_576;
/** Space is reserved in advance, so that a deploy of thousands of small files makes only a few database queries. */
const AHEAD = 16 * MIB;
/** The advance is at most this share of the free space, so that concurrent deploys that fit together both succeed. */
const AHEAD_OF_REST = 1 / 8;

/** The owner of the space, and the limit for all deploys of the organization. */
export interface RoomOf {
  readonly orgId: string;
  readonly deployId: string;
  readonly storedBytes: number;
}

/**
 * The storage space of one deploy within the limit of its organization. Space is reserved before anything is written,
 * so that concurrent deploys never exceed the limit together.
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

  /** @throws {ArtifactRefused} `storage_limit_reached`, for this call and all later ones. */
  async take(bytes: number): Promise<void> {
    this.taken += bytes;
    if (this.taken <= this.reserved) return;
    this.growing = this.growing.then(() => this.grow());
    await this.growing;
  }

  /**
   * Writes the row of the deploy in the transaction that releases the reservation. The limit is checked again, because
   * the reservation may have expired.
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

  /** Must always be called at the end. */
  async close(): Promise<void> {
    await this.growing.catch(() => undefined);
    if (this.settled || this.taken === 0) return;
    // A failure to release is ignored: the reservation expires, and the error of the deploy matters more.
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

  /** Locks the organization's storage until the current transaction ends, and returns what this deploy may use. */
  private async requireFree(): Promise<number> {
    const { orgId, deployId, storedBytes } = this.of;
    await this.store.lock(orgId);
    const others = await this.store.takenByOthers(orgId, deployId);
    // Files of the deploy that requested space while the database answered are already counted in `taken`.
    if (this.taken > storedBytes - others) throw storageLimitReached(storedBytes, others);
    return storedBytes - others;
  }
}

function storageLimitReached(limit: number, others: number): ArtifactRefused {
  return new ArtifactRefused(
    'storage_limit_reached',
    `Storage limit reached: the organization can store ${inMib(limit)} MiB, and other deploys use ` +
      `${inMib(others)} MiB. Delete old deploys (DELETE /api/v1/deploys/{deploy_id}) or projects, or upgrade.`,
  );
}

/** Two decimals keep the numbers apart when a limit is exceeded by little. */
const inMib = (bytes: number): string => String(Math.round((bytes / MIB) * 100) / 100);
