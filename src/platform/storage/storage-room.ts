import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../config/config.js';
import { StorageUnavailable } from '../errors/platform.errors.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Log } from '../logging/log.js';
import { type DiskState, lookAtDisk, roomOf } from './data-disk.js';

const LOOK_EVERY_MS = 500;
/** Writes resume only with this much more room than they stop at, so that the state does not flap. */
const MARGIN = 1.1;

/**
 * Watches the free room on the data directory's disk. Writes stop while there is still some: a PostgreSQL that cannot
 * write its log stops, and with it all reads.
 */
@Injectable()
export class StorageRoom implements OnModuleInit {
  private low = false;
  private seen: DiskState | undefined;
  private readonly timer: NodeJS.Timeout;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly config: Config,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    this.timer = setInterval(() => {
      void this.look();
    }, LOOK_EVERY_MS).unref();
    shutdown.at('workers', () => {
      clearInterval(this.timer);
    });
  }

  onModuleInit(): Promise<void> {
    return this.look();
  }

  get isLow(): boolean {
    return this.low;
  }

  /** Undefined when this process has no data directory. */
  get state(): DiskState | undefined {
    return this.seen;
  }

  /** @throws {StorageUnavailable} `storage_unavailable` */
  require(): void {
    if (this.low) throw new StorageUnavailable(new Error('The disk of the data directory is nearly full.'));
  }

  private look(): Promise<void> {
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async lookOnce(): Promise<void> {
    // A process that stores no data may have no such directory.
    this.seen = await lookAtDisk(this.config.dataDir, this.config.storageReserveBytes).catch(() => undefined);
    if (this.seen === undefined) return;
    const room = roomOf(this.seen);
    const { markBytes } = this.seen;
    const low = this.low ? room < markBytes * MARGIN : room < markBytes;
    if (low === this.low) return;
    this.low = low;
    const facts = { freeBytes: this.seen.freeBytes, markBytes };
    if (low)
      this.log.error(facts, 'The disk of the data directory is nearly full: writes are refused until there is room.');
    else this.log.info(facts, 'The disk of the data directory has room again: writes are accepted.');
  }
}
