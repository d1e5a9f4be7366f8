import { fieldsOf } from '../routers/upstream-json.js';
import type { AnswerFacts, AnswerReader } from './answer-reader.js';
import type { AnswerForm } from './forms/answer-form.js';
import { usageForCaller } from './reported-usage.js';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
/** The longest name of a field that is read, with its quotes. */
const MAX_NAME_BYTES = 32;

interface Span {
  readonly begin: number;
  readonly end: number;
}

/** Where the fields of the outermost object are. It sees the bytes once, in any pieces. */
class FieldSpans {
  readonly spans = new Map<string, Span>();
  private depth = 0;
  private inString = false;
  private escaped = false;
  private at = 0;
  private name: number[] | undefined;
  private key: string | undefined;
  private begin = 0;

  /** @param names the fields that are read. All others stay bytes, such as a million numbers of embeddings. */
  constructor(private readonly names: ReadonlySet<string>) {}

  push(chunk: Buffer): void {
    for (const byte of chunk) {
      this.step(byte);
      this.at++;
    }
  }

  private step(byte: number): void {
    if (this.inString) {
      if (this.name !== undefined && this.name.length <= MAX_NAME_BYTES) this.name.push(byte);
      if (this.escaped) this.escaped = false;
      else if (byte === BACKSLASH) this.escaped = true;
      else if (byte === QUOTE) this.inString = false;
      return;
    }
    switch (byte) {
      case QUOTE:
        this.inString = true;
        if (this.depth === 1 && this.key === undefined) this.name = [byte];
        break;
      case COLON:
        if (this.depth === 1 && this.key === undefined && this.name !== undefined) {
          this.key = nameOf(this.name);
          this.begin = this.at + 1;
        }
        break;
      case COMMA:
        if (this.depth === 1) this.finishField();
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        this.depth++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (this.depth === 1) this.finishField();
        this.depth--;
        break;
    }
  }

  private finishField(): void {
    if (this.key !== undefined && this.names.has(this.key))
      this.spans.set(this.key, { begin: this.begin, end: this.at });
    this.key = undefined;
    this.name = undefined;
  }
}

/** A name that is too long, or no valid text, is none that is read. */
function nameOf(quoted: readonly number[]): string {
  try {
    return String(JSON.parse(Buffer.from(quoted).toString('utf8')));
  } catch {
    return '';
  }
}

/** Reads an answer that is one JSON object, and keeps it until the price is known. */
export class JsonAnswer implements AnswerReader {
  private readonly chunks: Buffer[] = [];
  private readonly fields: FieldSpans;
  private whole: Buffer | undefined;
  private read: AnswerFacts | undefined;

  constructor(private readonly form: AnswerForm) {
    this.fields = new FieldSpans(new Set(['usage', ...form.wholeFields]));
  }

  push(chunk: Buffer): Buffer {
    this.chunks.push(chunk);
    this.fields.push(chunk);
    return NOTHING;
  }

  /** What is known before the end of the answer is nothing. */
  get facts(): AnswerFacts {
    return (this.read ??= { ...this.form.readWhole((name) => this.valueOf(name)), isComplete: true });
  }

  end(costUsd: string | undefined): Buffer {
    const bytes = (this.whole ??= Buffer.concat(this.chunks));
    const span = this.fields.spans.get('usage');
    if (span === undefined) return bytes;
    const usage = JSON.stringify(usageForCaller(fieldsOf(this.valueOf('usage')), costUsd));
    return Buffer.concat([bytes.subarray(0, span.begin), Buffer.from(usage), bytes.subarray(span.end)]);
  }

  private valueOf(name: string): unknown {
    const span = this.fields.spans.get(name);
    if (span === undefined) return undefined;
    this.whole ??= Buffer.concat(this.chunks);
    try {
      return JSON.parse(this.whole.toString('utf8', span.begin, span.end)) as unknown;
    } catch {
      return undefined;
    }
  }
}

const NOTHING = Buffer.alloc(0);
