import type { AppLogStream } from './log-level.js';

export type Mask = (text: string) => string;

const STOPPED = 'The log stops here because secret values could not be masked. The server continues.';

/** Passes the lines of a server on with its secrets masked. Without a mask it stops, because nothing may be shown. */
export class MaskedOutput {
  private mask: Mask | null = null;
  private isStopped = false;

  constructor(private readonly add: (stream: AppLogStream, text: string) => void) {}

  /** Takes the mask before the first line. */
  async prepare(mask: Promise<Mask>): Promise<void> {
    this.mask = await mask.catch(() => null);
  }

  line(stream: AppLogStream, text: string): void {
    if (this.isStopped) return;
    const masked = this.masked(text);
    if (masked !== undefined) this.add(stream, masked);
    else {
      this.isStopped = true;
      this.add('system', STOPPED);
    }
  }

  private masked(text: string): string | undefined {
    try {
      return this.mask?.(text);
    } catch {
      return undefined;
    }
  }
}
