import { randomBytes } from 'node:crypto';

import { type BuildDirectories, removeTree } from '../build-directories.js';
import { type BuildDisk, MEBIBYTE, type WatchedBuild } from './build-disk.js';
import { CountedDisk } from './counted-disk.js';
import { FixedDisk } from './fixed-disk.js';
import { SpareImage } from './spare-image.js';

const PROBE_BYTES = 4 * MEBIBYTE;

export interface DiskMode {
  /** `fixed` gives each build a file system of its own. `counted` uses plain directories whose files are counted. */
  readonly mode: 'fixed' | 'counted';
  /** The reason for `counted`, or null. */
  readonly why: string | null;
}

/** Gives each build a disk, with a file system of its own if this machine supports that. */
export class BuildDisks {
  private probed: Promise<DiskMode> | null = null;
  private readonly spare: SpareImage;

  constructor(
    private readonly directories: BuildDirectories,
    private readonly wanted: 'auto' | 'counted',
  ) {
    this.spare = new SpareImage(directories);
  }

  /** The mode is probed once, by creating a disk and removing it. */
  mode(): Promise<DiskMode> {
    this.probed ??= this.probe();
    return this.probed;
  }

  async open(build: WatchedBuild): Promise<BuildDisk> {
    if ((await this.mode()).mode === 'counted') return new CountedDisk(build);
    const { limitBytes } = build;
    const closed = (): void => {
      this.spare.prepare(limitBytes);
    };
    // The machine may have run out of loop devices. Then the build continues with a counted disk.
    return FixedDisk.open(build, { spare: await this.spare.take(limitBytes), closed }).catch(
      () => new CountedDisk(build),
    );
  }

  private async probe(): Promise<DiskMode> {
    if (this.wanted === 'counted') return { mode: 'counted', why: 'the options of this process say so' };
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
