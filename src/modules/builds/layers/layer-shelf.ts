import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

import { type Clock } from '../../../platform/time/clock.js';
import { type LayerLease, PackageLayersUnavailable } from '../package-layers.js';
import { type BuildDirectories, makePassable, removeTree } from '../workspace/build-directories.js';

/** No project can have this name. */
const DIRECTORY = '.package-layers';
const KIBIBYTE = 1_024;
/** A layer in use is marked more often than this, so that other processes of this machine leave it alone, too. */
const UNUSED_MS = 15 * 60_000;
const MARK_EVERY_MS = 5 * 60_000;
/** Copies of a process that was killed. */
const UNFINISHED_MS = 3_600_000;

interface Entry {
  readonly place: string;
  readonly bytes: number;
  readonly unusedMs: number;
}

/**
 * The layers of this machine. A directory is named by its key and its size; it is complete when it has its name, and
 * then never changes.
 */
export class LayerShelf {
  private readonly uses = new Map<string, number>();

  constructor(
    private readonly directories: BuildDirectories,
    private readonly clock: Clock,
  ) {}

  async lease(key: string): Promise<LayerLease | null> {
    const place = await this.find(key);
    if (place === null) return null;
    this.uses.set(place, (this.uses.get(place) ?? 0) + 1);
    const timer = setInterval(() => void this.mark(place), MARK_EVERY_MS).unref();
    const release = once(() => {
      clearInterval(timer);
      const left = this.uses.get(place)! - 1;
      if (left === 0) this.uses.delete(place);
      else this.uses.set(place, left);
    });
    await this.mark(place);
    return { directory: place, release };
  }

  /**
   * Puts a layer on the shelf that `fill` copies to a new directory.
   *
   * @throws {PackageLayersUnavailable} when layers in use leave no room.
   */
  async put(
    key: string,
    size: { readonly bytes: number; readonly allBytes: number },
    fill: (directory: string) => Promise<void>,
  ): Promise<void> {
    const parent = await this.parent();
    await this.makeRoom(size.bytes, size.allBytes);
    const unfinished = join(parent, `.${randomBytes(8).toString('hex')}`);
    await mkdir(unfinished, { mode: 0o755 });
    try {
      await fill(unfinished);
      const place = join(parent, `${key}.${Math.ceil(size.bytes / KIBIBYTE)}`);
      // Another process may have been faster. Then its directory is used, and this one is removed.
      await rename(unfinished, place).catch(async (error: unknown) => {
        if ((await this.find(key)) === null) throw error;
      });
    } finally {
      await removeTree(unfinished);
    }
  }

  private async makeRoom(bytes: number, allBytes: number): Promise<void> {
    const entries = await this.entries();
    let taken = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    const unused = entries
      .filter(({ place, unusedMs }) => unusedMs > UNUSED_MS && !this.uses.has(place))
      .sort((one, other) => other.unusedMs - one.unusedMs);
    for (const entry of unused) {
      if (taken + bytes <= allBytes) return;
      // Another one may have taken long to remove.
      if (this.uses.has(entry.place)) continue;
      await this.remove(entry.place);
      taken -= entry.bytes;
    }
    if (taken + bytes > allBytes)
      throw new PackageLayersUnavailable('The packages of other executions leave no room for these on this machine.');
  }

  /** Under its name a layer is complete, also if this process ends in the middle of its removal. */
  private async remove(place: string): Promise<void> {
    const unfinished = join(place, '..', `.${randomBytes(8).toString('hex')}`);
    await rename(place, unfinished);
    await this.mark(unfinished);
    await removeTree(unfinished);
  }

  private async entries(): Promise<Entry[]> {
    const parent = await this.parent();
    const nowMs = this.clock.now().getTime();
    const finished: Entry[] = [];
    for (const name of await readdir(parent)) {
      const place = join(parent, name);
      const facts = await stat(place).catch(() => null);
      if (facts === null) continue;
      const unusedMs = nowMs - facts.mtimeMs;
      if (!name.startsWith('.')) finished.push({ place, bytes: Number(name.split('.')[1]) * KIBIBYTE, unusedMs });
      else if (unusedMs > UNFINISHED_MS) await removeTree(place);
    }
    return finished;
  }

  private async find(key: string): Promise<string | null> {
    const parent = await this.parent();
    const name = (await readdir(parent)).find((each) => each.startsWith(`${key}.`));
    return name === undefined ? null : join(parent, name);
  }

  private async parent(): Promise<string> {
    const parent = join(await this.directories.cachesDirectory(), DIRECTORY);
    await makePassable(parent);
    return parent;
  }

  /** The host created the directory itself, so that no link is followed. */
  private async mark(place: string): Promise<void> {
    const now = this.clock.now();
    await utimes(place, now, now).catch(() => undefined);
  }
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
