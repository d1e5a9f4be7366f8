import { createHash, type Hash } from 'node:crypto';
import type { BuiltFile, BuiltLink, BuiltOutput } from '../built-output.js';
import { ArtifactRefused } from '../hosting.errors.js';
import { isText } from '../site/content-types.js';
import { type BlobContent, type BlobStorage, contentOf } from '../../../platform/blobs/blob-storage.js';
import { type Encoding, keyOf } from '../store/content-keys.js';
import { variantsOf } from './compression.js';
import { type TreeFault, TreePaths } from '../tree-paths.js';
import { directoryOf } from './file-paths.js';
import type { ManifestFile } from './manifest.js';
import type { Room } from './room.js';
import { SpooledFile } from './spooled-file.js';

/** Larger files are not held in memory, but spooled to disk first. */
const IN_MEMORY_BYTES = 8 * 1_048_576;
/** The number of files that are compressed and written while the next one is read. */
const AT_ONCE = 8;

const ENCODINGS = ['br', 'gzip'] as const;

/** The sizes of the compressed variants of a file that are worth keeping. */
export type VariantSizes = Readonly<Partial<Record<Encoding, number>>>;

/** The variants that this process has seen before. Most files of a deploy were also in the previous one. */
export interface KnownVariants {
  get(name: string): VariantSizes | undefined;
  set(name: string, sizes: VariantSizes): unknown;
}

export interface IngestLimits {
  readonly files: number;
  readonly bytes: number;
  /** The limit for the files of all deploys of the organization. */
  readonly storedBytes: number;
}

export interface IngestedFiles {
  readonly files: Readonly<Record<string, ManifestFile>>;
  readonly links: Readonly<Record<string, string>>;
  /** The number of files and links. */
  readonly count: number;
  readonly bytes: number;
}

/** Stores the files of one build, each content once. */
export class Ingest {
  /** It is not a plain object, because a file may be called `__proto__`. */
  private readonly files = new Map<string, ManifestFile>();
  private readonly links = new Map<string, string>();
  private readonly running = new Set<Promise<void>>();
  private readonly paths = new TreePaths();
  private failure: Error | undefined;
  private count = 0;
  private bytes = 0;
  /** The path prefixes of files that may be sent to a browser. */
  private served: readonly string[] = [];

  constructor(
    private readonly store: BlobStorage,
    private readonly limits: IngestLimits,
    private readonly signal: AbortSignal,
    private readonly variants: KnownVariants,
    private readonly room: Room,
    private readonly spoolDirectory: string,
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
      const [files, links] = [Object.fromEntries(this.files), Object.fromEntries(this.links)];
      return { files, links, count: this.count, bytes: this.bytes };
    } finally {
      await Promise.all(this.running);
    }
  }

  private async take(file: BuiltFile | BuiltLink): Promise<void> {
    const isLink = 'linkTo' in file;
    const fault = isLink ? this.paths.addLink(file.path, file.linkTo) : this.paths.addFile(file.path);
    if (fault !== null) throw refused(file.path, fault);
    if (++this.count > this.limits.files)
      throw new ArtifactRefused(
        'output_too_large',
        `The output has more files than the plan allows: the limit is ${this.limits.files}. ` +
          'Set the output directory to what visitors need, or upgrade.',
      );
    if (isLink) this.links.set(file.path, file.linkTo);
    else await this.takeFile(file);
  }

  private async takeFile(file: BuiltFile): Promise<void> {
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
    return { sha256: hash.digest('hex'), buffer: bytes, blob: contentOf(bytes) };
  }

  private async spool(file: BuiltFile): Promise<Content> {
    const spooled = await SpooledFile.create(this.spoolDirectory);
    const hash = createHash('sha256');
    try {
      await spooled.write(this.counted(file, hash));
    } catch (error) {
      await spooled.close();
      throw error;
    }
    return {
      sha256: hash.digest('hex'),
      buffer: undefined,
      blob: { bytes: file.bytes, open: () => spooled.read() },
      spooled,
    };
  }

  /** Yields the content, hashes it, and checks it against the announced size and the limit. */
  private async *counted(file: BuiltFile, hash: Hash): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of file.content) {
      this.signal.throwIfAborted();
      bytes += chunk.length;
      this.bytes += chunk.length;
      if (this.bytes > this.limits.bytes)
        throw new ArtifactRefused(
          'output_too_large',
          `The output is too large: the limit is ${this.limits.bytes} bytes, and ${file.path.slice(0, 200)} with ` +
            `${file.bytes} bytes goes beyond it. Host large files elsewhere, or change the output directory.`,
        );
      if (bytes > file.bytes) break;
      hash.update(chunk);
      yield chunk;
    }
    if (bytes !== file.bytes)
      throw new ArtifactRefused('output_invalid', `The file ${file.path} was not collected completely.`);
  }

  private async keep(file: BuiltFile, { sha256, buffer, blob, spooled }: Content): Promise<void> {
    try {
      await this.putOnce(keyOf(sha256), blob);
    } finally {
      await spooled?.close();
    }
    const variants =
      buffer === undefined || !this.isServed(file.path) ? {} : await this.compressed(sha256, buffer, isText(file.path));
    this.files.set(file.path, {
      sha256,
      bytes: file.bytes,
      ...(file.executable ? { executable: true as const } : {}),
      ...variants,
    });
  }

  /** Servers have many files that are never sent to a browser, so those are not compressed. */
  private isServed(path: string): boolean {
    return this.served.some((prefix) => path.startsWith(prefix));
  }

  /** Stores the variants and returns their sizes. Known sizes are reused, because compression is the slowest step. */
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
      await this.putOnce(keyOf(sha256, encoding), contentOf(variant));
      sizes[encoding] = variant.length;
    }
    this.variants.set(name, sizes);
    return sizes;
  }

  /** Refreshes the variants, so that garbage collection keeps them. Returns false when one is missing. */
  private async haveAll(sha256: string, sizes: VariantSizes): Promise<boolean> {
    for (const encoding of ENCODINGS)
      if (sizes[encoding] !== undefined && !(await this.store.refresh(keyOf(sha256, encoding)))) return false;
    return true;
  }

  private async putOnce(key: string, blob: BlobContent): Promise<void> {
    if (!(await this.store.refresh(key))) await this.store.put(key, blob);
  }
}

function refused(path: string, fault: TreeFault): ArtifactRefused {
  const named = path.slice(0, 200);
  switch (fault) {
    case 'path_not_safe':
      return new ArtifactRefused(
        'output_invalid',
        `A file has a path that cannot be served: ${JSON.stringify(named)}.`,
      );
    case 'path_twice':
      return new ArtifactRefused('output_invalid', `The file ${named} occurs twice in the output.`);
    case 'below_link':
      return new ArtifactRefused('output_invalid', `The file ${named} lies below a link of the output.`);
    case 'target_not_safe':
      return new ArtifactRefused('output_invalid', `The link ${named} leads out of the output.`);
  }
}

interface Content {
  readonly sha256: string;
  readonly buffer: Buffer | undefined;
  readonly blob: BlobContent;
  readonly spooled?: SpooledFile;
}
