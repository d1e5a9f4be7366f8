import { randomBytes } from 'node:crypto';

import { type BuildDirectories, removeTree } from '../build-directories.js';
import { type BuildDisk, MEBIBYTE, type WatchedBuild } from './build-disk.js';
import { CountedDisk } from './counted-disk.js';
import { FixedDisk } from './fixed-disk.js';

const PROBE_BYTES = 4 * MEBIBYTE;

export interface DiskMode {
  /** `fixed`: a file system of its own for each build. `counted`: plain directories, which are counted. */
  readonly mode: 'fixed' | 'counted';
  /** Why no file system can be had; null where one can. */
  readonly why: string | null;
}

/** Gives each build a disk, in the best way that works on this machine. */
export class BuildDisks {
  private probed: Promise<DiskMode> | null = null;

  constructor(
    private readonly directories: BuildDirectories,
    private readonly wanted: 'auto' | 'counted',
  ) {}

  /** Found out once, by making one and removing it. */
  mode(): Promise<DiskMode> {
    this.probed ??= this.probe();
    return this.probed;
  }

  async open(build: WatchedBuild): Promise<BuildDisk> {
    if ((await this.mode()).mode === 'counted') return new CountedDisk(build);
    // A machine that could a while ago may be out of loop devices now; builds go on, and are counted.
    return FixedDisk.open(build).catch(() => new CountedDisk(build));
  }

  private async probe(): Promise<DiskMode> {
    if (this.wanted === 'counted') return { mode: 'counted', why: 'it is set so' };
    if (process.getuid?.() !== 0) return { mode: 'counted', why: 'only root can mount' };
    const job = await this.directories.makeJob(`probe-${randomBytes(6).toString('hex')}`);
    try {
      const disk = await FixedDisk.open({
        job,
        limitBytes: PROBE_BYTES,
        count: () => Promise.resolve(null),
        exceeded: () => undefined,
      });
      await disk.close();
      return { mode: 'fixed', why: null };
    } catch (error) {
      return { mode: 'counted', why: (error as Error).message };
    } finally {
      await removeTree(job);
    }
  }
}
