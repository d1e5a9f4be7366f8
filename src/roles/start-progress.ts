import type { Log } from '../platform/logging/log.js';

const REDRAW_MS = 100;
/** The longest time without a line of progress. */
const SAY_SO_AFTER_MS = 3_000;

/** Shows the progress of the start: live on a terminal, and otherwise as lines of the log. */
export class StartProgress {
  private readonly running = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private drawn = false;

  constructor(
    private readonly log: Log,
    private readonly terminal: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
  ) {}

  /** Shows the step while the work runs, and returns its result. */
  async step<T>(title: string, work: Promise<T>): Promise<T> {
    const startedAtMs = performance.now();
    this.running.set(title, startedAtMs);
    this.draw();
    const slow = setInterval(() => {
      this.note(`${title}: still starting`, startedAtMs);
    }, SAY_SO_AFTER_MS);
    try {
      const result = await work;
      this.finish(title);
      this.note(`${title}: ready`, startedAtMs);
      if (this.terminal.isTTY) this.terminal.write(`  ✓ ${title.padEnd(24)}${secondsSince(startedAtMs)}\n`);
      return result;
    } finally {
      clearInterval(slow);
      this.finish(title);
      this.draw();
    }
  }

  private finish(title: string): void {
    this.running.delete(title);
    this.erase();
    if (this.running.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private note(text: string, startedAtMs: number): void {
    if (!this.terminal.isTTY)
      this.log.info({ seconds: Number(secondsSince(startedAtMs).replace(' s', '')) }, `${text}.`);
  }

  private draw(): void {
    if (!this.terminal.isTTY || this.running.size === 0) return;
    this.timer ??= setInterval(() => {
      this.draw();
    }, REDRAW_MS).unref();
    const steps = [...this.running].map(([title, startedAtMs]) => `${title} ${secondsSince(startedAtMs)}`);
    this.erase();
    this.terminal.write(`  … ${steps.join(', ')}`);
    this.drawn = true;
  }

  private erase(): void {
    if (this.drawn) this.terminal.write('\r\x1b[K');
    this.drawn = false;
  }
}

const secondsSince = (startedAtMs: number): string => `${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`;
