import { statfs } from 'node:fs/promises';

const INTERVAL_MS = 200;
/** Others write to the same disk: what they write only leads to a look that finds nothing. */
const SHORTEST_BETWEEN_MS = 1_000;
const MOST_FILES = 1_000_000;

export interface WatchedDisk {
  /** A directory that no program can change, on the file system that they write to. */
  readonly directory: string;
  readonly limitBytes: number;
  /** Counts what they have written; null when it could not be counted. */
  readonly measure: () => Promise<{ bytes: number; files: number } | null>;
  readonly exceeded: () => void;
}

/**
 * Sees to it that a build does not fill the disk. To count its files takes a while, so the whole file system is asked
 * how full it is, which takes none, and files are counted only when it has grown by what the build has left.
 */
export class DiskWatch {
  private readonly timer: NodeJS.Timeout;
  private base: { bytes: number; files: number } | null = null;
  private known = { bytes: 0, files: 0 };
  private lastMs = -Infinity;
  private looking = false;

  constructor(private readonly watched: WatchedDisk) {
    this.timer = setInterval(() => { void this.look(); }, INTERVAL_MS);
    void this.look();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    try {
      const now = await this.used();
      this.base ??= now;
      const mayBe = { bytes: this.known.bytes + now.bytes - this.base.bytes, files: this.known.files + now.files - this.base.files };
      if (mayBe.bytes > this.watched.limitBytes || mayBe.files > MOST_FILES) await this.measure(now);
    } catch {
      // The directory is gone, and the build with it.
    } finally {
      this.looking = false;
    }
  }

  private async measure(now: { bytes: number; files: number }): Promise<void> {
    if (performance.now() - this.lastMs < SHORTEST_BETWEEN_MS) return;
    const counted = await this.watched.measure();
    this.lastMs = performance.now();
    if (counted === null) return;
    this.known = counted;
    this.base = now;
    if (counted.bytes <= this.watched.limitBytes && counted.files <= MOST_FILES) return;
    this.stop();
    this.watched.exceeded();
  }

  private async used(): Promise<{ bytes: number; files: number }> {
    const { bsize, blocks, bfree, files, ffree } = await statfs(this.watched.directory);
    return { bytes: (blocks - bfree) * bsize, files: files - ffree };
  }
}
