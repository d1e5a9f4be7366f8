import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { type BuildDirectories } from '../build-directories.js';
import { FixedDisk } from './fixed-disk.js';

interface Spare {
  readonly limitBytes: number;
  /** Null when it could not be written. */
  readonly image: Promise<string | null>;
}

/**
 * An empty file system that is written between builds, because writing it takes longer than mounting it. There is one
 * for each process, of the size that the last build had. It has never been mounted, and belongs to one build only.
 */
export class SpareImage {
  private spare: Spare | null = null;
  private directory: Promise<string> | null = null;

  constructor(private readonly directories: BuildDirectories) {}

  /** Returns the path of a file that belongs to the caller, or null when there is none for this limit. */
  async take(limitBytes: number): Promise<string | null> {
    if (this.spare?.limitBytes !== limitBytes) return null;
    const { image } = this.spare;
    this.spare = null;
    return image;
  }

  /** Prepares the next one, unless it exists. It does not wait, and never throws. */
  prepare(limitBytes: number): void {
    const old = this.spare;
    if (old?.limitBytes === limitBytes) return;
    this.spare = { limitBytes, image: this.write(limitBytes) };
    void old?.image.then((image) => (image === null ? undefined : rm(image, { force: true }))).catch(() => undefined);
  }

  private async write(limitBytes: number): Promise<string | null> {
    let image: string | null = null;
    try {
      // The directory is removed with those of this process's builds.
      this.directory ??= this.directories.makeJob(`spare-${randomBytes(6).toString('hex')}`);
      image = join(await this.directory, `${randomBytes(6).toString('hex')}.img`);
      await FixedDisk.format(image, limitBytes);
      return image;
    } catch {
      this.directory = null;
      if (image !== null) await rm(image, { force: true }).catch(() => undefined);
      return null;
    }
  }
}
