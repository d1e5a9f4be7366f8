import type { Answered } from './backends.js';

/** A request, or a few that belong together, which are sent every so often. */
export interface Kind {
  readonly name: string;
  readonly everyMs: number;
  readonly send: () => Promise<Answered>;
}

/** Sends requests at a fixed rate, whether or not earlier ones were answered, and keeps what failed. */
export class SteadyLoad {
  readonly failures: string[] = [];
  readonly sent: Record<string, number> = {};
  private readonly pending = new Set<Promise<void>>();
  private readonly timers: readonly NodeJS.Timeout[];

  constructor(kinds: readonly Kind[]) {
    this.timers = kinds.map((kind) =>
      setInterval(() => {
        const sending = this.send(kind).finally(() => this.pending.delete(sending));
        this.pending.add(sending);
      }, kind.everyMs),
    );
  }

  /** Resolves once all is answered. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.pending);
  }

  private async send({ name, send }: Kind): Promise<void> {
    this.sent[name] = (this.sent[name] ?? 0) + 1;
    try {
      const { status, text } = await send();
      if (status >= 300) this.failures.push(`${name}: ${status} ${text.slice(0, 300)}`);
    } catch (error) {
      this.failures.push(`${name}: ${String(error)}`);
    }
  }
}
