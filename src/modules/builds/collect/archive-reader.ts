import type { BuiltFile, BuiltLink } from '../../hosting/built-output.js';
import { type TreeFault, TreePaths } from '../../hosting/tree-paths.js';

/** A package.json of 1 MiB and a vercel.json of 256 KiB may be six times as long when they are encoded in JSON. */
const LONGEST_RECORD = 8 * 1024 * 1024;
const LONGEST_LINE = 1024 * 1024;
const LINE_END = 0x0a;
const LONGEST_PATH_BYTES = 1_024;
const DEEPEST = 100;

/** The data of a sandbox does not have the format that our program writes. */
export class ArchiveBroken extends Error {
  override readonly name = 'ArchiveBroken';
}

/** The facts in the first record about the collected files. */
export interface ArchiveFacts {
  readonly found: boolean;
  /** The path of the output, relative to the repository. */
  readonly output: string;
  readonly server: string | null;
  readonly redirects: string | null;
  readonly headers: string | null;
  /** The pages of the plan that exist. */
  readonly pages: readonly string[];
  /** True when the output needs an HTML page and has none. */
  readonly isPageless: boolean;
  /** Other directories that have pages. */
  readonly pageDirectories: readonly string[];
  /** The files that the build had to leave, and did not. */
  readonly missing: readonly string[];
  readonly isEmpty: boolean;
}

/**
 * Reads the lines of git and the records of `inside/source.cjs` and `inside/pack.cjs` as hostile input. Whatever
 * arrives, paths are safe,
 * links lead to paths of the tree, and sizes are as announced.
 */
export class ArchiveReader {
  private readonly chunks: AsyncIterator<Buffer>;
  private held = Buffer.alloc(0);
  private readonly paths = new TreePaths();
  private passedOver = 0;

  constructor(
    stream: AsyncIterable<Buffer>,
    private readonly note: (text: string) => void,
  ) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  /** Reads the three lines that git writes before all records. @throws {ArchiveBroken} */
  async commit(): Promise<{ sha: string; author: string; message: string }> {
    return { sha: await this.line(), author: await this.line(), message: await this.line() };
  }

  /** @throws {ArchiveBroken} */
  async inspection(): Promise<Record<string, unknown>> {
    return recordOf((await this.record()).inspection);
  }

  /** Reads what `inside/pack-image.cjs` reports about an image. @throws {ArchiveBroken} */
  async image(): Promise<Record<string, unknown>> {
    return recordOf((await this.record()).image);
  }

  /** Skips the rest of the stream. @throws {ArchiveBroken} */
  async drain(): Promise<void> {
    this.passedOver += this.held.length;
    this.held = Buffer.alloc(0);
    for (let next = await this.next(); next !== null; next = await this.next()) this.passedOver += next.length;
  }

  /** @throws {ArchiveBroken} */
  async facts(): Promise<ArchiveFacts> {
    const facts = recordOf((await this.record()).facts);
    const [output, server] = [textOf(facts.output) ?? '', textOf(facts.server)];
    if (!isSafePath(output, true) || (server !== null && !isSafePath(server, true)))
      throw new ArchiveBroken('a path leads outside');
    return {
      found: facts.found === true,
      output,
      server,
      redirects: textOf(facts.redirects),
      headers: textOf(facts.headers),
      pages: textsOf(facts.pages),
      isPageless: facts.isPageless === true,
      pageDirectories: textsOf(facts.pageDirectories),
      missing: textsOf(facts.missing),
      isEmpty: facts.isEmpty === true,
    };
  }

  /** @throws {ArchiveBroken} also when the stream ends without a final record. */
  async *files(): AsyncGenerator<BuiltFile | BuiltLink> {
    for (;;) {
      const record = await this.record();
      if (record.end === true) return;
      if (typeof record.note === 'string') {
        this.note(record.note);
        continue;
      }
      if (typeof record.link === 'string') {
        yield this.link(record.link, record.to);
        continue;
      }
      const { file, bytes } = record;
      if (typeof file !== 'string' || typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0)
        throw new ArchiveBroken('a record is none that is known');
      this.require(file, this.paths.addFile(file));
      const content = this.content(bytes);
      yield { path: file, bytes, executable: record.executable === true, content };
      // The reader may not have read all of the content.
      for await (const rest of content) this.passedOver += rest.length;
    }
  }

  private link(path: string, linkTo: unknown): BuiltLink {
    if (typeof linkTo !== 'string') throw new ArchiveBroken('a record is none that is known');
    this.require(path, this.paths.addLink(path, linkTo));
    return { path, linkTo };
  }

  private require(path: string, fault: TreeFault | null): void {
    if (fault === 'path_twice') throw new ArchiveBroken('a path came twice');
    if (fault === 'below_link') throw new ArchiveBroken('a path lies below a link');
    if (fault === 'target_not_safe') throw new ArchiveBroken('a link leads outside');
    if (fault !== null || !isSafePath(path, false)) throw new ArchiveBroken('a path is not safe');
  }

  private async *content(bytes: number): AsyncGenerator<Buffer> {
    let left = bytes;
    const next = async (): Promise<Buffer> => {
      if (this.held.length === 0) await this.more();
      const chunk = this.held.subarray(0, left);
      this.held = this.held.subarray(chunk.length);
      left -= chunk.length;
      return chunk;
    };
    const archive = { isBroken: false };
    try {
      while (left > 0) {
        yield await next().catch((error: unknown) => {
          archive.isBroken = true;
          throw error;
        });
      }
    } finally {
      // If the reader stopped early, the rest of the content would be read as records.
      while (left > 0 && !archive.isBroken) this.passedOver += (await next()).length;
    }
  }

  private async record(): Promise<Record<string, unknown>> {
    const length = (await this.take(4)).readUInt32BE(0);
    if (length > LONGEST_RECORD) throw new ArchiveBroken('a record is too long');
    const text = (await this.take(length)).toString('utf8');
    try {
      return recordOf(JSON.parse(text) as unknown);
    } catch {
      throw new ArchiveBroken('a record is no JSON');
    }
  }

  private async line(): Promise<string> {
    const parts: Buffer[] = [];
    for (let length = 0; ;) {
      if (this.held.length === 0) await this.more();
      const end = this.held.indexOf(LINE_END);
      const part = end === -1 ? this.held : this.held.subarray(0, end);
      length += part.length;
      if (length > LONGEST_LINE) throw new ArchiveBroken('a line is too long');
      parts.push(part);
      this.held = this.held.subarray(end === -1 ? part.length : end + 1);
      if (end !== -1) return Buffer.concat(parts, length).toString('utf8');
    }
  }

  private async take(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = bytes; left > 0;) {
      if (this.held.length === 0) await this.more();
      const part = this.held.subarray(0, left);
      parts.push(part);
      this.held = this.held.subarray(part.length);
      left -= part.length;
    }
    return Buffer.concat(parts, bytes);
  }

  private async more(): Promise<void> {
    const next = await this.next();
    if (next === null) throw new ArchiveBroken('it ends too early');
    this.held = next as Buffer<ArrayBuffer>;
  }

  private async next(): Promise<Buffer | null> {
    const next = await this.chunks.next().catch((cause: unknown) => {
      throw new ArchiveBroken('it was broken off', { cause });
    });
    return next.done === true ? null : next.value;
  }
}

/** True for a relative path in UTF-8 that leads down only. */
function isSafePath(path: string, mayBeEmpty: boolean): boolean {
  if (path === '') return mayBeEmpty;
  if (Buffer.byteLength(path) > LONGEST_PATH_BYTES || /[\p{Cc}\p{Cs}\\\ufffd]/u.test(path)) return false;
  const names = path.split('/');
  return names.length <= DEEPEST && names.every((name) => name !== '' && name !== '.' && name !== '..');
}

function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new ArchiveBroken('a record is no object');
  return value as Record<string, unknown>;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
