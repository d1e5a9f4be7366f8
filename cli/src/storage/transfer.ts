import type { Context } from '../context.js';
import { sizeText } from '../sizes.js';
import type { Progress } from '../terminal.js';
import { printable } from '../terminal.js';

/** What a copy has done so far, shown in one line. */
export class Transfer {
  files = 0;
  bytes = 0;
  readonly skipped: { readonly path: string; readonly reason: string }[] = [];
  private readonly active = new Map<string, number>();
  private readonly progress: Progress;

  constructor(context: Context) {
    this.progress = context.progress();
  }

  moved(key: string, bytes: number): void {
    this.active.set(key, bytes);
    const total = [...this.active.values()].reduce((sum, each) => sum + each, this.bytes);
    this.progress.show(`${this.files} done, ${sizeText(total)}: ${printable(key)}`);
  }

  done(key: string, bytes: number): void {
    this.active.delete(key);
    this.files++;
    this.bytes += bytes;
  }

  skip(path: string, reason: string): void {
    this.skipped.push({ path, reason });
  }

  clear(): void {
    this.progress.clear();
  }
}
