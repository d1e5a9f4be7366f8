import { type Readable } from 'node:stream';

import { endOf } from './contained-child.js';
import { type LaunchOutput } from './launch-spec.js';
import { Allowance, ORDINARY_PACE } from './output-pace.js';

const NEWLINE = 0x0a;
const LONGEST_LINE_BYTES = 16 * 1024;
/** The last lines, which explain why a program ended, are kept even if it wrote too much before. */
const LAST_LINES = 500;
const LEAST_PAUSE_MS = 10;
/** So much of what was dropped last is remembered, because the end of a program may follow at once. */
const REMEMBERED_BYTES = 4_096;

/**
 * Delivers the lines of both streams of a program, within one budget and at a limited pace. A program that writes
 * faster finds its pipe full and waits. Lines beyond the pace are counted and dropped, because handling each would
 * block the event loop. After its end, the rest of the pipes is read without a pause.
 */
export class LineOutput {
  private readonly ends: Promise<void>[] = [];
  private readonly streams: Readable[] = [];
  private readonly lines: Allowance;
  private readonly bytes: Allowance;
  private readonly secondOfLines: number;
  private readonly costOfDropped: number;
  private left: number;
  private reportedCut = false;
  private isDropping = false;
  private dropped = 0;
  private reports = 0;
  private isOver = false;
  private pause: NodeJS.Timeout | undefined;

  constructor(private readonly output: LaunchOutput) {
    const { linesPerSecond, burstLines, bytesPerSecond, burstBytes, costOfDropped } = output.pace ?? ORDINARY_PACE;
    this.left = output.bytes;
    this.secondOfLines = linesPerSecond;
    this.costOfDropped = costOfDropped;
    this.lines = new Allowance(linesPerSecond, burstLines);
    this.bytes = new Allowance(bytesPerSecond, burstBytes);
  }

  /** The promises resolve when all output has been delivered. */
  get ended(): readonly Promise<void>[] {
    return this.ends;
  }

  /** Reads the rest, once nothing is left that could write. */
  finish(): void {
    this.isOver = true;
    clearTimeout(this.pause);
    for (const stream of this.streams) stream.resume();
  }

  read(name: 'stdout' | 'stderr', stream: Readable): void {
    const begun = new BegunLine();
    const last: Buffer[] = [];
    this.streams.push(stream);
    stream.on('data', (chunk: Buffer) => {
      if (this.isOver) last.push(chunk);
      else this.take(name, begun, chunk);
    });
    this.ends.push(
      endOf(stream).then(() => {
        clearTimeout(this.pause);
        this.takeLast(name, begun, Buffer.concat(last));
        if (!begun.isEmpty) this.deliver(name, begun.end());
        this.reportDropped();
      }),
    );
  }

  private take(name: 'stdout' | 'stderr', begun: BegunLine, chunk: Buffer): void {
    this.bytes.take(chunk.length);
    for (let at = 0; at < chunk.length;) {
      if (this.reportedCut || !this.mayDeliver()) {
        this.bytes.take((at - chunk.length) * (1 - this.costOfDropped));
        at = this.drop(begun, chunk, at);
        continue;
      }
      begun.forget();
      const newline = chunk.indexOf(NEWLINE, at);
      const end = newline < 0 ? chunk.length : newline;
      begun.add(chunk.subarray(at, end));
      if (newline >= 0) this.deliver(name, begun.end());
      at = end + 1;
    }
    if (this.bytes.isSpent) this.rest();
  }

  /** Delivers what was still in the pipe: its end, and as much of its beginning as the budget allows. */
  private takeLast(name: 'stdout' | 'stderr', begun: BegunLine, chunk: Buffer): void {
    const remembered = begun.remembered(this.reports);
    this.dropped -= linesIn(remembered);
    const rest = Buffer.concat([remembered, begun.end(), chunk]);
    const start = startOfLastLines(rest);
    this.take(name, begun, rest.subarray(0, start));
    this.lines.raiseTo(LAST_LINES + 1);
    this.isDropping = false;
    this.reportDropped();
    this.take(name, begun, rest.subarray(start));
  }

  /** Once lines are dropped, dropping continues until there is room for a second's worth, so that notices are few. */
  private mayDeliver(): boolean {
    if (this.isDropping && this.lines.has(this.secondOfLines)) {
      this.isDropping = false;
      this.reportDropped();
    }
    this.isDropping ||= this.lines.isSpent;
    return !this.isDropping;
  }

  /** Counts the lines that end in the rest of a chunk; the one that only begins there may still be kept. */
  private drop(begun: BegunLine, chunk: Buffer, from: number): number {
    const last = chunk.lastIndexOf(NEWLINE);
    if (last < from) {
      begun.add(chunk.subarray(from));
      return chunk.length;
    }
    begun.end();
    if (!this.reportedCut) {
      const dropped = chunk.subarray(from, last + 1);
      this.dropped += linesIn(dropped);
      begun.remember(dropped, this.reports);
    }
    begun.add(chunk.subarray(last + 1));
    return chunk.length;
  }

  private rest(): void {
    if (this.isOver) return;
    for (const stream of this.streams) stream.pause();
    clearTimeout(this.pause);
    this.pause = setTimeout(
      () => {
        for (const stream of this.streams) stream.resume();
      },
      Math.max(LEAST_PAUSE_MS, this.bytes.msUntilLeft),
    );
    this.pause.unref();
  }

  private deliver(name: 'stdout' | 'stderr', line: Buffer): void {
    this.lines.take(1);
    this.left -= line.length + 1;
    if (this.left >= 0) this.output.line(name, line.toString('utf8'));
    else if (!this.reportedCut) {
      this.reportedCut = true;
      this.output.line('stderr', `[the rest is not shown: the output exceeds ${this.output.bytes} bytes]`);
    }
  }

  private reportDropped(): void {
    const { dropped } = this;
    this.dropped = 0;
    this.reports++;
    if (dropped === 0 || this.reportedCut) return;
    if (this.output.dropped !== undefined) this.output.dropped(dropped);
    else
      this.output.line(
        'stderr',
        `[${dropped} lines are missing here: there were more than ${this.secondOfLines} a second]`,
      );
  }
}

/** Returns the offset of the last lines of a text, which is 0 when it has no more than those. */
function startOfLastLines(text: Buffer): number {
  let newline = text.length;
  for (let lines = 0; lines <= LAST_LINES && newline > 0; lines++) newline = text.lastIndexOf(NEWLINE, newline - 1);
  return newline + 1;
}

function linesIn(text: Buffer): number {
  let lines = 0;
  for (let at = text.indexOf(NEWLINE); at >= 0; at = text.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

/** A line whose end has not arrived yet, cut at the longest length, and the whole lines that were dropped before it. */
class BegunLine {
  private parts: Buffer[] = [];
  private size = 0;
  private before: { readonly text: Buffer; readonly report: number } | undefined;

  /** Remembers the last whole lines of what is dropped. They are counted in the report of this number. */
  remember(dropped: Buffer, report: number): void {
    const from = dropped.length <= REMEMBERED_BYTES ? 0 : dropped.length - REMEMBERED_BYTES;
    // What comes before the first line break may be the end of a line only.
    const text = dropped.subarray(dropped.indexOf(NEWLINE, from) + 1);
    this.before = { text: Buffer.from(text), report };
  }

  forget(): void {
    this.before = undefined;
  }

  /** Returns what is remembered, unless its report was made already. */
  remembered(report: number): Buffer {
    const { before } = this;
    this.before = undefined;
    return before?.report === report ? before.text : Buffer.alloc(0);
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  add(bytes: Buffer): void {
    const kept = bytes.subarray(0, LONGEST_LINE_BYTES - this.size);
    if (kept.length === 0) return;
    this.parts.push(kept);
    this.size += kept.length;
  }

  end(): Buffer {
    const line = Buffer.concat(this.parts, this.size);
    this.parts = [];
    this.size = 0;
    return line;
  }
}
