import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BuiltFile, BuiltOutput } from '../built-output.js';
import { ArtifactRefused } from '../hosting.errors.js';
import { isText } from '../site/content-types.js';
import { type ArtifactStore, type BlobContent, type Encoding, keyOf } from '../store/artifact-store.js';
import { variantsOf } from './compression.js';
import { directoryOf, isFilePath } from './file-paths.js';
import type { ManifestFile } from './manifest.js';
import type { Room } from './room.js';

/** What is larger is not held in memory but written to a file of ours first. */
const IN_MEMORY_BYTES = 8 * 1_048_576;
/** Files that are compressed and written while the next one is read. */
const AT_ONCE = 8;

const ENCODINGS = ['br', 'gzip'] as const;

/** How large each variant of a file is that is worth keeping. */
export type VariantSizes = Readonly<Partial<Record<Encoding, number>>>;

/** What was found out about files before, by this process; most files of a deploy were in the one before. */
export interface KnownVariants {
  get(name: string): VariantSizes | undefined;
  set(name: string, sizes: VariantSizes): unknown;
}

export interface IngestLimits {
  readonly files: number;
  readonly bytes: number;
  /** What the files of all deploys of the organization may come to. */
  readonly storedBytes: number;
}

export interface IngestedFiles {
  readonly files: Readonly<Record<string, ManifestFile>>;
  readonly count: number;
  readonly bytes: number;
}

/** Takes the files of one build into the store, each once. */
export class Ingest {
  /** No plain object: a file may be called `__proto__`. */
  private readonly files = new Map<string, ManifestFile>();
  private readonly running = new Set<Promise<void>>();
  private readonly seen = new Set<string>();
  private failure: Error | undefined;
  private count = 0;
  private bytes = 0;
  private directory: string | undefined;
  /** What the paths of files begin with that a browser may be sent. */
  private served: readonly string[] = [];

  constructor(
    private readonly store: ArtifactStore,
    private readonly limits: IngestLimits,
    private readonly signal: AbortSignal,
    private readonly variants: KnownVariants,
    private readonly room: Room,
  ) {}

  /** @throws {ArtifactRefused} `output_too_large`, `output_invalid`, `storage_limit_reached` */
  async takeAll(built: BuiltOutput): Promise<IngestedFiles> {
    this.served = built.static
      .map(({ directory }) => directoryOf(directory) ?? '')
      .map((directory) => (directory === '' ? '' : `${directory}/`));
    try {
      for await (const file of built.files()) {
        this.signal.throwIfAborted();
        await this.take(file);
        if (this.failure !== undefined) throw this.failure;
      }
      await Promise.all(this.running);
      if (this.failure !== undefined) throw this.failure;
      return { files: Object.fromEntries(this.files), count: this.count, bytes: this.bytes };
    } finally {
      await Promise.all(this.running);
      if (this.directory !== undefined) await rm(this.directory, { recursive: true, force: true });
    }
  }

  private async take(file: BuiltFile): Promise<void> {
    if (!isFilePath(file.path))
      throw new ArtifactRefused(
        'output_invalid',
        `A file has a path that cannot be served: ${JSON.stringify(file.path.slice(0, 200))}.`,
      );
    if (this.seen.has(file.path))
      throw new ArtifactRefused('output_invalid', `The file ${file.path} was collected twice.`);
    this.seen.add(file.path);
    if (++this.count > this.limits.files)
      throw new ArtifactRefused('output_too_large', `The output has more than ${this.limits.files} files.`);
    await this.room.take(file.bytes);
    const content = file.bytes > IN_MEMORY_BYTES ? await this.spool(file) : await this.read(file);
    const task = this.keep(file, content).catch((error: unknown) => {
      this.failure ??= error as Error;
    });
    this.running.add(task);
    void task.then(() => {
      this.running.delete(task);
    });
    if (this.running.size >= AT_ONCE) await Promise.race(this.running);
  }

  private async read(file: BuiltFile): Promise<Content> {
    const hash = createHash('sha256');
    const chunks: Buffer[] = [];
    for await (const chunk of this.counted(file, hash)) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    return { sha256: hash.digest('hex'), buffer: bytes, blob: blobOf(bytes) };
  }

  private async spool(file: BuiltFile): Promise<Content> {
    this.directory ??= await mkdtemp(join(tmpdir(), 'service-ingest-'));
    const path = join(this.directory, String(this.count));
    const hash = createHash('sha256');
    await pipeline(this.counted(file, hash), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    return {
      sha256: hash.digest('hex'),
      buffer: undefined,
      blob: { bytes: file.bytes, open: () => createReadStream(path) },
      path,
    };
  }

  /** The content, hashed and held to what was announced and to the limit. */
  private async *counted(file: BuiltFile, hash: Hash): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of file.content) {
      this.signal.throwIfAborted();
      bytes += chunk.length;
      this.bytes += chunk.length;
      if (this.bytes > this.limits.bytes)
        throw new ArtifactRefused('output_too_large', `The output is larger than ${this.limits.bytes} bytes.`);
      if (bytes > file.bytes) break;
      hash.update(chunk);
      yield chunk;
    }
    if (bytes !== file.bytes)
      throw new ArtifactRefused('output_invalid', `The file ${file.path} was not collected whole.`);
  }

  private async keep(file: BuiltFile, { sha256, buffer, blob, path }: Content): Promise<void> {
    await this.putOnce(keyOf(sha256), blob);
    const variants =
      buffer === undefined || !this.isServed(file.path) ? {} : await this.compressed(sha256, buffer, isText(file.path));
    if (path !== undefined) await rm(path);
    this.files.set(file.path, {
      sha256,
      bytes: file.bytes,
      ...(file.executable ? { executable: true as const } : {}),
      ...variants,
    });
  }

  /** The files of a server are many, and nobody is sent them. */
  private isServed(path: string): boolean {
    return this.served.some((prefix) => path.startsWith(prefix));
  }

  /**
   * The sizes of the variants, which are in the store then. To compress takes longest of all that is done with a file.
   */
  private async compressed(sha256: string, content: Buffer, isText: boolean): Promise<VariantSizes> {
    const name = `${sha256} ${isText}`;
    const known = this.variants.get(name);
    if (known !== undefined && (await this.haveAll(sha256, known))) {
      for (const encoding of ENCODINGS) await this.room.take(known[encoding] ?? 0);
      return known;
    }
    const variants = await variantsOf(content, isText);
    const sizes: { br?: number; gzip?: number } = {};
    for (const encoding of ENCODINGS) {
      const variant = variants[encoding];
      if (variant === undefined) continue;
      await this.room.take(variant.length);
      await this.putOnce(keyOf(sha256, encoding), blobOf(variant));
      sizes[encoding] = variant.length;
    }
    this.variants.set(name, sizes);
    return sizes;
  }

  /** And they stay, as what was just put. */
  private async haveAll(sha256: string, sizes: VariantSizes): Promise<boolean> {
    for (const encoding of ENCODINGS)
      if (sizes[encoding] !== undefined && !(await this.store.refresh(keyOf(sha256, encoding)))) return false;
    return true;
  }

  private async putOnce(key: string, blob: BlobContent): Promise<void> {
    if (!(await this.store.refresh(key))) await this.store.put(key, blob);
  }
}

interface Content {
  readonly sha256: string;
  readonly buffer: Buffer | undefined;
  readonly blob: BlobContent;
  readonly path?: string;
}

export const blobOf = (bytes: Buffer): BlobContent => ({
  bytes: bytes.length,
  open: () => Readable.from([bytes], { objectMode: false }),
});
