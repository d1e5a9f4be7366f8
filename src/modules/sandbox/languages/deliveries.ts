import {
  ARTIFACT_FAULTS,
  type ArtifactError,
  artifactError,
  type ArtifactFault,
  type ArtifactSink,
  isArtifactPath,
  MAX_ARTIFACT_ERRORS,
  MAX_ARTIFACTS,
} from '../domain/artifacts.js';
import {
  MAX_RESULTS,
  MAX_RESULTS_BYTES,
  RICH_RESULT_TYPES,
  type RichResult,
  type RichResultType,
} from '../domain/rich-result.js';

const NEWLINE = 0x0a;
const MARK = 0x23; // A number sign.
const MAX_FACTS_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 100;
const MAX_PATH_BYTES = 500;
const HEADER = /^#(file|left|result) (\S{1,20}) (\S{1,20})$/;
const NUMBER = /^(?:0|[1-9]\d{0,9})$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const IMAGES: readonly string[] = ['image/png', 'image/jpeg'];

/** What a run may deliver. */
export interface DeliveryBounds {
  /** All files together; null when the run delivers none. */
  readonly artifactBytes: number | null;
}

/** What arrived beside the files, which went to the sink. */
export interface Deliveries {
  /** The lines for `readReport`. */
  readonly facts: Buffer;
  readonly results: readonly RichResult[];
  readonly errors: readonly ArtifactError[];
}

/** The part of a delivery that comes after its header. */
interface Body {
  readonly kind: 'file' | 'left' | 'result';
  /** A path or a result, gathered here. */
  gathered: Buffer[];
  /** How many bytes of it are missing. */
  left: number;
  /** The size of a file. */
  readonly contentBytes: number;
  /** The type of a result, or the reason why something was left. */
  readonly word: string;
}

/**
 * Reads what a program with results or artifacts writes to its report channel: lines of JSON as ever, and between them
 *
 * - `#result <type> <bytes>`, a newline and the data
 * - `#file <bytes of the path> <bytes of the content>`, a newline, the path and the content
 * - `#left <bytes of the path> <why>`, a newline and the path, for what is not sent
 * - `#done` and a newline, after all files
 *
 * The program can write anything to it. What breaks the format or a bound ends the reading, and what came before
 * stays.
 */
export class DeliveryReader {
  private turn: Promise<void> = Promise.resolve();
  private readonly facts: Buffer[] = [];
  private factsBytes = 0;
  private readonly results: RichResult[] = [];
  private resultsBytes = 0;
  private readonly errors: ArtifactError[] = [];
  private files = 0;
  private bytesLeft: number;
  private line: Buffer[] = [];
  private lineBytes = 0;
  private body: Body | null = null;
  private contentLeft = 0;
  /** The content of a file whose name is not one is skipped. */
  private skips = false;
  private isDone = false;
  private isBroken = false;

  constructor(
    private readonly bounds: DeliveryBounds,
    private readonly sink: ArtifactSink | null,
  ) {
    this.bytesLeft = bounds.artifactBytes ?? 0;
  }

  /** True when something came that cannot be taken back. */
  get hasDelivered(): boolean {
    return this.files > 0;
  }

  /** True when nothing more is read. */
  get isOver(): boolean {
    return this.isDone || this.isBroken;
  }

  /** Resolves when the sink has room for more. Never rejects. */
  take(chunk: Buffer): Promise<void> {
    this.turn = this.turn.then(() => this.read(chunk));
    return this.turn;
  }

  /** Call it when nothing more arrives. */
  async end(): Promise<Deliveries> {
    await this.turn;
    if (!this.isDone && this.bounds.artifactBytes !== null) this.errors.push(artifactError('not_sent'));
    return { facts: Buffer.concat(this.facts), results: this.results, errors: this.errors };
  }

  private async read(chunk: Buffer): Promise<void> {
    let rest = chunk;
    while (rest.length > 0 && !this.isBroken) {
      if (this.contentLeft > 0) {
        const piece = rest.subarray(0, this.contentLeft);
        rest = rest.subarray(piece.length);
        this.contentLeft -= piece.length;
        if (!this.skips) await this.sink?.take(piece);
      } else if (this.body !== null) {
        rest = this.readBody(this.body, rest);
      } else {
        rest = this.readLine(rest);
      }
    }
  }

  private readBody(body: Body, chunk: Buffer): Buffer {
    const piece = chunk.subarray(0, body.left);
    body.gathered.push(Buffer.from(piece));
    body.left -= piece.length;
    if (body.left === 0) this.finish(body);
    return chunk.subarray(piece.length);
  }

  private readLine(chunk: Buffer): Buffer {
    const end = chunk.indexOf(NEWLINE);
    const piece = end === -1 ? chunk : chunk.subarray(0, end);
    const room = MAX_FACTS_BYTES - this.factsBytes;
    this.line.push(Buffer.from(piece));
    this.lineBytes += piece.length;
    if (this.lineBytes >= room) {
      this.isBroken = true;
      return chunk;
    }
    if (end === -1) return chunk.subarray(chunk.length);
    const line = Buffer.concat(this.line);
    this.line = [];
    this.lineBytes = 0;
    this.takeLine(line);
    return chunk.subarray(end + 1);
  }

  private takeLine(line: Buffer): void {
    if (line[0] !== MARK) {
      this.facts.push(line, Buffer.from('\n'));
      this.factsBytes += line.length + 1;
      return;
    }
    const text = line.toString('latin1', 0, MAX_HEADER_BYTES);
    if (text === '#done') this.isDone = true;
    else this.open(HEADER.exec(text));
  }

  private open(header: RegExpExecArray | null): void {
    const [, kind, first = '', second = ''] = header ?? [];
    const body = kind === undefined ? null : this.bodyOf(kind as Body['kind'], first, second);
    if (body === null || this.isDone) {
      this.isBroken = true;
      return;
    }
    this.body = body;
    if (body.left === 0) this.finish(body);
  }

  /** Returns null for what is not within the bounds. */
  private bodyOf(kind: Body['kind'], first: string, second: string): Body | null {
    if (kind === 'result') {
      const left = numberOf(second);
      const fits = left <= MAX_RESULTS_BYTES - this.resultsBytes && this.results.length < MAX_RESULTS;
      return fits ? { kind, gathered: [], left, contentBytes: 0, word: first } : null;
    }
    const left = numberOf(first);
    if (left > MAX_PATH_BYTES || this.bounds.artifactBytes === null) return null;
    if (kind === 'left') return { kind, gathered: [], left, contentBytes: 0, word: second };
    const contentBytes = numberOf(second);
    const fits = contentBytes <= this.bytesLeft && this.files < MAX_ARTIFACTS && left > 0;
    return fits ? { kind, gathered: [], left, contentBytes, word: '' } : null;
  }

  private finish(body: Body): void {
    this.body = null;
    const bytes = Buffer.concat(body.gathered);
    if (body.kind === 'result') this.addResult(body.word, bytes);
    else if (body.kind === 'left') this.addError(bytes.toString(), body.word);
    else this.beginFile(bytes, body.contentBytes);
  }

  private addResult(type: string, bytes: Buffer): void {
    this.resultsBytes += bytes.length;
    const data = bytes.toString();
    if (!isResultType(type) || (IMAGES.includes(type) && !BASE64.test(data))) return;
    this.results.push({ type, data });
  }

  private addError(path: string, why: string): void {
    if (this.errors.length >= MAX_ARTIFACT_ERRORS) return;
    this.errors.push(artifactError(isFault(why) ? why : 'unreadable', path));
  }

  private beginFile(name: Buffer, sizeBytes: number): void {
    const path = name.toString();
    this.files += 1;
    this.bytesLeft -= sizeBytes;
    this.contentLeft = sizeBytes;
    this.skips = !isArtifactPath(path) || !Buffer.from(path).equals(name);
    if (this.skips) this.addError(path, 'invalid_name');
    else this.sink?.begin({ path, sizeBytes });
  }
}

/** Infinity for what is no number, which is beyond every bound. */
const numberOf = (text: string): number => (NUMBER.test(text) ? Number(text) : Infinity);

const isResultType = (type: string): type is RichResultType => (RICH_RESULT_TYPES as readonly string[]).includes(type);

const isFault = (word: string): word is ArtifactFault => Object.hasOwn(ARTIFACT_FAULTS, word);
