import { closeSync, existsSync, ftruncateSync, openSync, truncateSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import type { Log } from '../../platform/logging/log.js';
import { type DiskState, lookAtDisk, reservePathOf, roomOf } from '../../platform/storage/data-disk.js';

const LOOK_EVERY_MS = 250;
/** Given up when less than this part of what is kept free is left, and taken again above this multiple of it. */
const GIVE_UP_SHARE = 4;
const TAKE_FACTOR = 1.1;
const CHUNK_BYTES = 1_048_576;

/**
 * Keeps room on the disk for servers of our own: a file that is emptied when something else, another program for one,
 * has filled the disk although writes of callers were refused long before. PostgreSQL can then still answer reads, and
 * start.
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

  /** Gives room up where the disk is full, before the servers start, and keeps watching. Never throws. */
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
      // Empty until it is filled, so that everybody sees that it is still to come.
      if (!existsSync(this.path)) closeSync(openSync(this.path, 'a', 0o600));
      const state = await lookAtDisk(this.dataDir, this.keptFreeBytes);
      if (isExhausted(state)) this.giveUp(state);
      else if (state.reserveMissingBytes > 0 && roomOf(state) > state.markBytes * TAKE_FACTOR) await this.fill(state);
    } catch (error) {
      this.log.debug({ error }, 'The reserve of the disk could not be looked after.');
    }
  }

  private giveUp({ freeBytes, reserveBytes }: DiskState): void {
    truncateSync(this.path);
    this.log.error(
      { freeBytes, reserveBytes },
      'The disk of the data directory is full: the reserve was given up for the servers.',
    );
  }

  /** With bytes that no file system can compress away. */
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
