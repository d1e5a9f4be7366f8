import { statfs } from 'node:fs/promises';

import { BuildDisk, type DiskUse, MOST_FILES, type WatchedBuild } from './build-disk.js';
import { DiskTimer } from './disk-timer.js';
import { hasRoom } from './machine-room.js';

/** Writes of others to the same disk also cause counts, so that counts must not follow each other too closely. */
const SHORTEST_BETWEEN_MS = 1_000;
/**
 * Space that others free hides what the build writes, so that the files are counted regularly in any case.
 */
const LONGEST_BETWEEN_MS = 5_000;
/** The build is frozen while it is counted, for at most a twentieth of its time. */
const COUNTS_PER_COUNT = 20;
/** Growth that no count explains may come from other programs, up to this many times the limit of the build. */
const UNEXPLAINED_LIMITS = 2;

/**
 * Plain directories on a shared disk, for machines without file systems of a fixed size. Counting the files of a build
 * is slow, and asking the file system for its usage is fast. So the build is frozen and counted only when the usage has
 * grown by what the build has left, and every few seconds. If the count fails, the limit counts as exceeded.
 */
export class CountedDisk extends BuildDisk {
  readonly isFixed = false;
  readonly directory: string;
  /** The sum of the limits of all builds of this process, which may fill the same disk. */
  private static allLimits = 0;
  private readonly timer = new DiskTimer(() => this.check());
  private atStart: DiskUse | null = null;
  private base: DiskUse | null = null;
  private known: DiskUse = { bytes: 0, files: 0 };
  private readonly openedMs = performance.now();
  private lastMs = -Infinity;
  private lastTookMs = 0;

  constructor(private readonly build: WatchedBuild) {
    super();
    this.directory = build.job;
    CountedDisk.allLimits += build.limitBytes;
    void this.timer.look();
  }

  look(): Promise<void> {
    return this.timer.look();
  }

  async close(): Promise<void> {
    CountedDisk.allLimits -= this.build.limitBytes;
    await this.timer.stop();
  }

  private async check(): Promise<void> {
    const now = await this.used();
    this.atStart ??= now;
    this.base ??= now;
    if (!(await hasRoom(this.directory))) {
      this.build.exceeded('machine');
      return;
    }
    const mayBe = {
      bytes: this.known.bytes + now.bytes - this.base.bytes,
      files: this.known.files + now.files - this.base.files,
    };
    if (this.isTooMuch(mayBe) || this.isCountDue) await this.count(now);
  }

  private async count(now: DiskUse): Promise<void> {
    const startedMs = performance.now();
    if (startedMs - this.lastMs < SHORTEST_BETWEEN_MS) return;
    const counted = await this.build.count();
    this.lastMs = performance.now();
    this.lastTookMs = this.lastMs - startedMs;
    if (counted === null || this.isTooMuch(counted)) {
      this.build.exceeded('build');
      return;
    }
    const unexplained = now.bytes - this.atStart!.bytes - counted.bytes;
    const others = CountedDisk.allLimits - this.build.limitBytes;
    if (unexplained > UNEXPLAINED_LIMITS * this.build.limitBytes + others) {
      this.build.exceeded('build');
      return;
    }
    this.known = counted;
    this.base = now;
  }

  private get isCountDue(): boolean {
    return (
      performance.now() - Math.max(this.openedMs, this.lastMs) >
      Math.max(LONGEST_BETWEEN_MS, COUNTS_PER_COUNT * this.lastTookMs)
    );
  }

  private isTooMuch({ bytes, files }: DiskUse): boolean {
    return bytes > this.build.limitBytes || files > MOST_FILES;
  }

  private async used(): Promise<DiskUse> {
    const { bsize, blocks, bfree, files, ffree } = await statfs(this.directory);
    return { bytes: (blocks - bfree) * bsize, files: files - ffree };
  }
}
