import { createReadStream, type Dirent, open as openDescriptor } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Clock } from '../time/clock.js';
import {
  BlobStorage,
  type BlobContent,
  BlobMissing,
  type ByteRange,
  requireKey,
  type StoredBlob,
} from './blob-storage.js';

/** Unfinished files older than this belong to killed writers, because a writer takes minutes at most. */
const UNFINISHED_MAX_AGE_MS = 86_400_000;

/**
 * The cost of a read hardly depends on its size. A stream of a file handle costs twice as much as a stream of a
 * descriptor.
 */
const CHUNK_BYTES = 262_144;

const opened = promisify(openDescriptor) as (path: string, flags?: string) => Promise<number>;

let writes = 0;

/** Stores blobs as files of a directory that only the service can enter. Several processes may share it. */
export class FileBlobStorage extends BlobStorage {
  private readonly unfinished: string;
  private readonly known = new Set<string>();

  constructor(
    private readonly directory: string,
    private readonly clock: Clock,
  ) {
    super();
    this.unfinished = join(directory, 'unfinished');
  }

  override async put(key: string, content: BlobContent): Promise<void> {
    const path = this.pathOf(key);
    await this.requireDirectory(this.unfinished);
    await this.requireDirectory(dirname(path));
    const temporary = join(this.unfinished, `${process.pid}-${++writes}-${key.replaceAll('/', '-')}`);
    try {
      await write(temporary, content);
      // Two writers of one key write the same bytes, so it does not matter whose file stays.
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  override async refresh(key: string): Promise<boolean> {
    // The times of a file record when it was last needed. Nothing else reads them.
    const now = this.clock.now();
    return utimes(this.pathOf(key), now, now).then(() => true, falseIfMissing);
  }

  override async get(key: string, range?: ByteRange): Promise<Readable> {
    const path = this.pathOf(key);
    const fd = await opened(path).catch((error: unknown) => {
      throw isMissing(error) ? new BlobMissing(key, { cause: error }) : error;
    });
    return createReadStream(path, { ...range, fd, highWaterMark: CHUNK_BYTES });
  }

  override async *list(prefix: string): AsyncGenerator<StoredBlob> {
    for (const entry of await entriesOf(join(this.directory, prefix))) {
      const key = `${prefix}${entry.name}`;
      if (entry.isDirectory()) yield* this.list(`${key}/`);
      else {
        const changedAt = await this.changedAt(key);
        if (changedAt !== null) yield { key, changedAt };
      }
    }
  }

  override changedAt(key: string): Promise<Date | null> {
    return stat(this.pathOf(key)).then(
      ({ mtime }) => mtime,
      (error: unknown) => nullIfMissing(error),
    );
  }

  override async delete(key: string): Promise<void> {
    await unlink(this.pathOf(key)).catch(nullIfMissing);
  }

  override async tidy(): Promise<void> {
    for (const { name } of await entriesOf(this.unfinished)) {
      const path = join(this.unfinished, name);
      const found = await stat(path).catch(nullIfMissing);
      if (found !== null && this.clock.now().getTime() - found.mtimeMs > UNFINISHED_MAX_AGE_MS)
        await rm(path, { force: true });
    }
  }

  private pathOf(key: string): string {
    requireKey(key);
    return join(this.directory, key);
  }

  private async requireDirectory(path: string): Promise<void> {
    if (this.known.has(path)) return;
    await mkdir(path, { recursive: true, mode: 0o700 });
    this.known.add(path);
  }
}

async function write(path: string, content: BlobContent): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await writeFile(file, content.open());
    // The database will record that the file exists, so it must survive a power loss.
    await file.sync();
    const { size } = await file.stat();
    if (size !== content.bytes) throw new Error(`A blob of ${content.bytes} bytes came to ${size}.`);
  } finally {
    await file.close();
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

const falseIfMissing = (error: unknown): false => {
  nullIfMissing(error);
  return false;
};

async function entriesOf(directory: string): Promise<Dirent[]> {
  return (await readdir(directory, { withFileTypes: true }).catch(nullIfMissing)) ?? [];
}
