import { type Fields, fieldsOf, listOf, textOf } from '../routers/upstream-json.js';
import type { AnswerFacts, AnswerReader } from './answer-reader.js';
import { tokensOf, usageForCaller } from './reported-usage.js';
import { estimateText } from './token-estimate.js';

const NEWLINE = 10;
const RETURN = 13;
/** A larger event is passed on without being read. It holds a picture, and no usage. */
const MAX_EVENT_BYTES = 4 * 1_048_576;
/** What comes after the usage waits until the price is known: the mark of the end. */
const MAX_TAIL_BYTES = 65_536;
const LINE_END = /\r\n|\n|\r/;

interface Options {
  /** True if the caller asked for the frame with the usage. */
  readonly showsUsage: boolean;
}

type Facts = { -readonly [Name in keyof AnswerFacts]: AnswerFacts[Name] };

/**
 * Reads the stream of a chat completion event by event. However the bytes are split, the same bytes come out: those
 * that came in, but for the usage, which is held back until the end.
 */
export class UsageFrame implements AnswerReader {
  readonly facts: Facts = {
    generationId: undefined,
    model: undefined,
    finishReason: undefined,
    tokens: undefined,
    countedOutput: 0,
    hasFailed: false,
    isComplete: false,
  };
  private held: Buffer[] = [];
  private heldBytes = 0;
  /** True from the usage, an error or the mark of the end on. */
  private isOver = false;
  private usage: Fields | undefined;
  private tail: Buffer[] = [];
  private tailBytes = 0;
  private isLineEmpty = true;
  private afterReturn = false;
  private isTooLong = false;

  constructor(private readonly options: Options) {}

  push(chunk: Buffer): Buffer {
    const out: Buffer[] = [];
    let begin = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (!this.endsEvent(chunk[at]!)) continue;
      this.hold(chunk.subarray(begin, at + 1), out);
      this.finishEvent(out);
      begin = at + 1;
    }
    this.hold(chunk.subarray(begin), out);
    return Buffer.concat(out);
  }

  end(costUsd: string | undefined): Buffer {
    if (this.facts.hasFailed) return Buffer.alloc(0);
    const out: Buffer[] = [];
    // Without an empty line at its end, it is no event. A client ignores it.
    const rest = Buffer.concat(this.held);
    this.dropHeld();
    if (!this.isOver) out.push(rest);
    if (this.usage !== undefined && this.options.showsUsage)
      out.push(Buffer.from(`data: ${JSON.stringify({ ...this.usage, usage: this.usageOf(costUsd) })}\n\n`));
    out.push(...this.tail);
    // The second half of the last line end.
    if (this.isOver && rest.length === 1) out.push(rest);
    this.tail = [];
    this.usage = undefined;
    return Buffer.concat(out);
  }

  private usageOf(costUsd: string | undefined): Fields {
    return usageForCaller(fieldsOf(this.usage!['usage']), costUsd);
  }

  /** Lines end with LF, CR or both, and an event with an empty line. */
  private endsEvent(byte: number): boolean {
    const isSecondHalf = byte === NEWLINE && this.afterReturn;
    this.afterReturn = byte === RETURN;
    if (isSecondHalf) return false;
    if (byte !== NEWLINE && byte !== RETURN) {
      this.isLineEmpty = false;
      return false;
    }
    const ends = this.isLineEmpty;
    this.isLineEmpty = true;
    return ends;
  }

  private hold(bytes: Buffer, out: Buffer[]): void {
    if (bytes.length === 0) return;
    this.held.push(bytes);
    this.heldBytes += bytes.length;
    if (this.heldBytes <= MAX_EVENT_BYTES) return;
    this.isTooLong = true;
    if (!this.isOver) out.push(...this.held);
    this.dropHeld();
  }

  private dropHeld(): void {
    this.held = [];
    this.heldBytes = 0;
  }

  private finishEvent(out: Buffer[]): void {
    const event = Buffer.concat(this.held);
    const wasTooLong = this.isTooLong;
    this.dropHeld();
    this.isTooLong = false;
    if (wasTooLong) {
      if (!this.isOver) out.push(event);
      return;
    }
    const data = dataOf(event);
    if (data === undefined) {
      this.pass(event, out);
      return;
    }
    if (data === '[DONE]') {
      this.facts.isComplete = true;
      this.isOver = true;
      this.pass(event, out);
      return;
    }
    const fields = fieldsIn(data);
    if (fields === undefined) this.pass(event, out);
    else this.read(fields, event, out);
  }

  private read(fields: Fields, event: Buffer, out: Buffer[]): void {
    const { facts } = this;
    facts.generationId ??= textOf(fields['id']);
    facts.model ??= textOf(fields['model']);
    if (fields['error'] !== undefined && fields['error'] !== null) {
      // The caller gets an error of ours in its place.
      facts.hasFailed = true;
      this.isOver = true;
    }
    const choices = listOf(fields['choices']).map(fieldsOf);
    for (const choice of choices) {
      facts.finishReason ??= textOf(choice['finish_reason']);
      facts.countedOutput += countOutput(choice['delta']);
    }
    const tokens = tokensOf(fields['usage']);
    if (tokens !== undefined) facts.tokens = tokens;
    if (facts.hasFailed) return;
    if (tokens === undefined) {
      this.pass(event, out);
    } else if (choices.length === 0) {
      this.usage = fields;
      this.isOver = true;
    } else {
      // Some servers count in every event. What the caller pays is known only at the end.
      const { usage, ...others } = fields;
      const shown = this.options.showsUsage ? { ...others, usage: usageForCaller(fieldsOf(usage), undefined) } : others;
      this.pass(Buffer.from(`data: ${JSON.stringify(shown)}\n\n`), out);
    }
  }

  private pass(event: Buffer, out: Buffer[]): void {
    if (!this.isOver) {
      out.push(event);
      return;
    }
    this.tailBytes += event.length;
    if (this.tailBytes <= MAX_TAIL_BYTES) this.tail.push(event);
  }
}

/** Returns the data of an event, or undefined for a comment. */
function dataOf(event: Buffer): string | undefined {
  const lines = event.toString('utf8').split(LINE_END);
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(line[5] === ' ' ? 6 : 5));
  return data.length === 0 ? undefined : data.join('\n');
}

function fieldsIn(data: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(data));
  } catch {
    return undefined;
  }
}

/** Counts the texts of a piece of an answer: words, reasoning and arguments of tools. */
export function countOutput(value: unknown, depth = 8): number {
  if (typeof value === 'string') return estimateText(value);
  if (typeof value !== 'object' || value === null || depth === 0) return 0;
  return Object.entries(value)
    .filter(([name]) => name !== 'role' && name !== 'id' && name !== 'type')
    .reduce((sum, [, each]) => sum + countOutput(each, depth - 1), 0);
}
