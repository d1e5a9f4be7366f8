import { closeSync, existsSync, ftruncateSync, openSync, truncateSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import type { Log } from '../../platform/logging/log.js';
import { type DiskState, lookAtDisk, reservePathOf, roomOf } from '../../platform/storage/data-disk.js';

const LOOK_EVERY_MS = 250;
/** The reserve is given up below this share of the space that is kept free, and taken again above this multiple. */
const GIVE_UP_SHARE = 4;
const TAKE_FACTOR = 1.1;
const CHUNK_BYTES = 1_048_576;

/**
 * Keeps disk space in reserve for the embedded servers: a file that is emptied when the disk is full. Writes of callers
 * are refused long before, but other programs may fill the disk. PostgreSQL can then still start and answer reads.
 */
export class DiskReserve {
  private readonly path: string;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private stopped = false;

  constructor(
    private readonly dataDir: string,
    private readonly keptFreeBytes: number,
    private readonly log: Log,
  ) {
    this.path = reservePathOf(dataDir);
  }

  /** Checks the disk before the servers start, and then keeps watching it. It never throws. */
  async keep(): Promise<void> {
    if (this.keptFreeBytes === 0) return;
    await this.look();
    this.timer = setInterval(() => {
      this.looking ??= this.look().finally(() => {
        this.looking = undefined;
      });
    }, LOOK_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    try {
      await mkdir(this.dataDir, { recursive: true });
      // An empty file shows that the reserve is not filled yet.
      if (!existsSync(this.path)) closeSync(openSync(this.path, 'a', 0o600));
      const state = await lookAtDisk(this.dataDir, this.keptFreeBytes);
      if (isExhausted(state)) this.giveUp(state);
      else if (state.reserveMissingBytes > 0 && roomOf(state) > state.markBytes * TAKE_FACTOR) await this.fill(state);
    } catch (error) {
      this.log.debug({ error }, 'The disk reserve could not be checked.');
    }
  }

  private giveUp({ freeBytes, reserveBytes }: DiskState): void {
    truncateSync(this.path);
    this.log.error(
      { freeBytes, reserveBytes },
      'The disk of the data directory is full: the disk reserve was released for the servers.',
    );
  }

  /** Fills the file with random bytes, which a file system cannot compress. */
  private async fill({ reserveBytes }: DiskState): Promise<void> {
    const file = await open(this.path, 'w', 0o600);
    try {
      const chunk = randomBytes(CHUNK_BYTES);
      for (let written = 0; written < reserveBytes && !this.stopped; written += CHUNK_BYTES) {
        await file.write(chunk, 0, Math.min(CHUNK_BYTES, reserveBytes - written), written);
      }
    } catch (error) {
      ftruncateSync(file.fd);
      throw error;
    } finally {
      await file.close();
    }
  }
}

const isExhausted = ({ freeBytes, markBytes, reserveBytes, reserveMissingBytes }: DiskState): boolean =>
  freeBytes < markBytes / GIVE_UP_SHARE && reserveMissingBytes < reserveBytes;
