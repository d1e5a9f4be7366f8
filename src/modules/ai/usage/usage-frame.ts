import { type Fields, fieldsOf } from '../routers/upstream-json.js';
import type { AnswerReader } from './answer-reader.js';
import type { AnswerForm, EventReader, GrowingFacts, UsageEvent } from './forms/answer-form.js';
import { hasPurchase, usageForCaller } from './reported-usage.js';

const NEWLINE = 10;
const RETURN = 13;
/** What comes after the usage waits until the price is known: the mark of the end. */
const MAX_TAIL_BYTES = 65_536;
const LINE_END = /\r\n|\n|\r/;

interface Options {
  readonly form: AnswerForm;
  /** True if the caller asked for the frame with the usage. */
  readonly showsUsage: boolean;
}

/** What waits for the price. */
type Waiting = Buffer | { readonly event: Buffer; readonly usage: UsageEvent };

/**
 * Reads the stream of an answer event by event. However the bytes are split, the same bytes come out: those that came
 * in, but for the usage, which is held back until the end.
 */
export class UsageFrame implements AnswerReader {
  readonly facts: GrowingFacts = {
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
  private tail: Waiting[] = [];
  private tailBytes = 0;
  private isLineEmpty = true;
  private afterReturn = false;
  private isTooLong = false;
  private readonly events: EventReader;

  constructor(private readonly options: Options) {
    this.events = options.form.events();
  }

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
    for (const waiting of this.tail)
      out.push(Buffer.isBuffer(waiting) ? waiting : this.shown(waiting.event, waiting.usage, costUsd));
    // The second half of the last line end.
    if (this.isOver && rest.length === 1) out.push(rest);
    this.tail = [];
    return Buffer.concat(out);
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
    if (this.heldBytes <= this.options.form.maxEventBytes) return;
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
    const usage = this.events.read(fields, facts);
    // The caller gets an error of ours in place of that of the router.
    const wasOver = this.isOver;
    this.isOver ||= facts.hasFailed || facts.isComplete || usage?.isLast === true;
    if (facts.hasFailed) return;
    if (usage === undefined && this.isOver && !wasOver) {
      // The last event may be large.
      this.tail.push(event);
    } else if (usage === undefined) {
      this.pass(event, out);
    } else if (usage.isLast) {
      // Where the usage has an event of its own, the last one counts.
      if (usage.isUsageOnly) this.tail = this.tail.filter((waiting) => Buffer.isBuffer(waiting));
      this.tail.push({ event, usage });
    } else {
      // What the caller pays is known only at the end.
      this.pass(this.shown(event, usage, undefined), out);
    }
  }

  private shown(event: Buffer, usage: UsageEvent, costUsd: string | undefined): Buffer {
    if (this.options.showsUsage) {
      if (costUsd === undefined && !hasPurchase(usage.usage)) return event;
      return rewritten(event, usage.with(usageForCaller(usage.usage, costUsd)));
    }
    return usage.isUsageOnly ? NOTHING : rewritten(event, usage.with(undefined));
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

/** Only the data is replaced. Names and IDs of events stay. */
function rewritten(event: Buffer, fields: Fields): Buffer {
  const lines = event.toString('utf8').split(LINE_END);
  const others = lines.filter((line) => line !== '' && !line.startsWith('data:'));
  return Buffer.from([...others, `data: ${JSON.stringify(fields)}`, '', ''].join('\n'));
}

function fieldsIn(data: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(data));
  } catch {
    return undefined;
  }
}

const NOTHING = Buffer.alloc(0);
