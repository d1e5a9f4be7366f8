import { type Readable } from 'node:stream';

import { endOf } from './contained-child.js';
import { type LaunchOutput } from './launch-spec.js';

const NEWLINE = 0x0a;
const LONGEST_LINE_BYTES = 16 * 1024;

/** Hands the lines of both streams of a program on, within one budget. What is beyond is read all the same: a program must not hang on a full pipe. */
export class LineOutput {
  private readonly ends: Promise<void>[] = [];
  private left: number;
  private toldOfCut = false;

  constructor(private readonly output: LaunchOutput) {
    this.left = output.bytes;
  }

  /** Settle when all that was written has been handed on. */
  get ended(): readonly Promise<void>[] {
    return this.ends;
  }

  read(name: 'stdout' | 'stderr', stream: Readable): void {
    let begun: Buffer[] = [];
    let size = 0;
    const finish = (): void => {
      if (size > 0) this.tell(name, Buffer.concat(begun, size));
      begun = [];
      size = 0;
    };
    stream.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length;) {
        const newline = chunk.indexOf(NEWLINE, at);
        const end = newline < 0 ? chunk.length : newline;
        const kept = chunk.subarray(at, Math.min(end, at + LONGEST_LINE_BYTES - size));
        if (kept.length > 0) {
          begun.push(kept);
          size += kept.length;
        }
        if (newline >= 0) {
          if (size === 0) this.tell(name, Buffer.alloc(0));
          finish();
        }
        at = end + 1;
      }
    });
    this.ends.push(endOf(stream).then(finish));
  }

  private tell(name: 'stdout' | 'stderr', line: Buffer): void {
    this.left -= line.length + 1;
    if (this.left >= 0) this.output.line(name, line.toString('utf8'));
    else if (!this.toldOfCut) {
      this.toldOfCut = true;
      this.output.line('stderr', `[what follows is not shown: there were more than ${this.output.bytes} bytes of output]`);
    }
  }
}
