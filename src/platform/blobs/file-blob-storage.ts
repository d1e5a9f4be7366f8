import { randomUUID } from 'node:crypto';
import {
  close as closeDescriptor,
  createReadStream,
  type Dirent,
  fsync as syncDescriptor,
  open as openDescriptor,
  read as readDescriptor,
  writev as writeDescriptor,
} from 'node:fs';
import { mkdir, readdir, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
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
import { DirectorySyncs } from './directory-syncs.js';

/** Unfinished files older than this belong to killed writers, because a writer takes minutes at most. */
const UNFINISHED_MAX_AGE_MS = 86_400_000;

/**
 * The cost of a read hardly depends on its size. A stream of a file handle costs twice as much as a stream of a
 * descriptor.
 */
const CHUNK_BYTES = 262_144;

/** A larger write costs no less for each byte, and keeps more of it in memory. */
const WRITE_BYTES = 1_048_576;

const opened = promisify(openDescriptor) as (path: string, flags?: string, mode?: number) => Promise<number>;

const closed = promisify(closeDescriptor);
const filled = promisify(readDescriptor);
const synced = promisify(syncDescriptor);
const written = promisify(writeDescriptor);

/**
 * Stores blobs as files of a directory that only the service can enter. Several processes may share it, also of several
 * machines or containers, where they may have the same number.
 */
export class FileBlobStorage extends BlobStorage {
  private readonly directory: string;
  private readonly unfinished: string;
  private readonly known = new Map<string, Promise<void>>();

  constructor(
    directory: string,
    private readonly clock: Clock,
    private readonly syncs = new DirectorySyncs(),
  ) {
    super();
    this.directory = resolve(directory);
    this.unfinished = join(this.directory, 'unfinished');
  }

  override async put(key: string, content: BlobContent): Promise<void> {
    const path = this.pathOf(key);
    await this.requireDirectory(this.unfinished);
    await this.requireDirectory(dirname(path));
    if (content.isNew === true) {
      await this.create(path, content);
      return;
    }
    const temporary = join(this.unfinished, randomUUID());
    try {
      await write(temporary, content);
      // Two writers of one key write the same bytes, so it does not matter whose file stays.
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await this.syncs.sync(dirname(path));
  }

  override async refresh(key: string): Promise<boolean> {
    // The times of a file record when it was last needed. Nothing else reads them.
    const now = this.clock.now();
    return utimes(this.pathOf(key), now, now).then(() => true, falseIfMissing);
  }

  override async get(key: string, range?: ByteRange): Promise<Readable> {
    const fd = await this.opened(key);
    return createReadStream(this.pathOf(key), { ...range, fd, highWaterMark: CHUNK_BYTES });
  }

  /** A stream would cost several times as much. */
  override async read(key: string, bytes: number): Promise<Buffer> {
    const fd = await this.opened(key);
    try {
      const content = Buffer.allocUnsafeSlow(bytes);
      let count = 0;
      while (count < bytes) {
        const { bytesRead } = await filled(fd, content, count, bytes - count, null);
        if (bytesRead === 0) throw new Error(`A blob of ${bytes} bytes has ${count}.`);
        count += bytesRead;
      }
      return content;
    } finally {
      await closed(fd);
    }
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

  /** Nothing reads the file before it is whole. It is at its place before it is synced: no rename can be lost. */
  private async create(path: string, content: BlobContent): Promise<void> {
    try {
      await write(path, content);
      await this.syncs.sync(dirname(path));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  private opened(key: string): Promise<number> {
    return opened(this.pathOf(key)).catch((error: unknown) => {
      throw isMissing(error) ? new BlobMissing(key, { cause: error }) : error;
    });
  }

  private pathOf(key: string): string {
    requireKey(key);
    return join(this.directory, key);
  }

  /** Creates a directory, or finds that it is there, once in a process. */
  private requireDirectory(path: string): Promise<void> {
    let ready = this.known.get(path);
    if (ready === undefined) {
      ready = this.createDirectory(path);
      this.known.set(path, ready);
      ready.catch(() => this.known.delete(path));
    }
    return ready;
  }

  /** The name of a directory must survive a power loss too, also when another process created it a moment ago. */
  private async createDirectory(path: string): Promise<void> {
    const created = await mkdir(path, { recursive: true, mode: 0o700 });
    const isAbove = created !== undefined && this.directory.startsWith(created);
    const last = isAbove ? dirname(created) : this.directory;
    for (let each = path; each !== last;) {
      each = dirname(each);
      await this.syncs.sync(each);
    }
  }
}

async function write(path: string, content: BlobContent): Promise<void> {
  const fd = await opened(path, 'wx', 0o600);
  try {
    const size = await writePieces(fd, content.pieces?.() ?? (content.open() as AsyncIterable<Buffer>));
    if (size !== content.bytes) throw new Error(`A blob of ${content.bytes} bytes came to ${size}.`);
    // The database will record that the file exists, so it must survive a power loss.
    await synced(fd);
  } finally {
    await closed(fd);
  }
}

/** Writes pieces in calls of up to {@link WRITE_BYTES}, without copying them. Returns how many bytes they have. */
async function writePieces(fd: number, pieces: AsyncIterable<Buffer>): Promise<number> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let size = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    waitingBytes += piece.length;
    size += piece.length;
    if (waitingBytes < WRITE_BYTES) continue;
    await writeAll(fd, waiting);
    waiting = [];
    waitingBytes = 0;
  }
  await writeAll(fd, waiting);
  return size;
}

/** A write may take less than it was given. */
async function writeAll(fd: number, buffers: readonly Buffer[]): Promise<void> {
  let left = buffers.filter(({ length }) => length > 0);
  while (left.length > 0) {
    const { bytesWritten } = await written(fd, left);
    let done = bytesWritten;
    left = left.flatMap((each) => {
      const skipped = Math.min(done, each.length);
      done -= skipped;
      return skipped === each.length ? [] : [each.subarray(skipped)];
    });
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
