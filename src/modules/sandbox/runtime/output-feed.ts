import { type OutputStream } from '../../../platform/isolation/isolation-spec.js';
import { type OutputListener } from '../domain/sandbox-runtime.js';

/** Output is gathered for so long, or until it is so much, so that many small writes are few pieces. */
const GATHER_MS = 40;
const GATHER_CHARACTERS = 16 * 1024;

/**
 * Passes the output of one run on while it arrives, as pieces of text. A piece never ends inside a character. In each
 * interval a stream has one piece, however often the program writes to both in turn.
 */
export class OutputFeed {
  private readonly decoders = { stdout: decoder(), stderr: decoder() };
  private readonly gathered = new Map<OutputStream, string>();
  private characters = 0;
  private timer: NodeJS.Timeout | undefined;
  private hasTaken = false;

  constructor(private readonly listener: OutputListener) {}

  /** True once the program has written anything. */
  get hasOutput(): boolean {
    return this.hasTaken;
  }

  take(stream: OutputStream, chunk: Buffer): void {
    this.hasTaken = true;
    this.gather(stream, this.decoders[stream].decode(chunk, { stream: true }));
    if (this.characters >= GATHER_CHARACTERS) this.flush();
    else
      this.timer ??= setTimeout(() => {
        this.flush();
      }, GATHER_MS);
  }

  /** Passes the rest on. A truncated stream ends without the character that its limit cut in two. */
  end(truncated: Readonly<Record<OutputStream, boolean>>): void {
    for (const stream of ['stdout', 'stderr'] as const)
      if (!truncated[stream]) this.gather(stream, this.decoders[stream].decode());
    this.flush();
  }

  /** Drops what was not passed on. */
  close(): void {
    clearTimeout(this.timer);
  }

  private gather(stream: OutputStream, text: string): void {
    if (text === '') return;
    this.gathered.set(stream, (this.gathered.get(stream) ?? '') + text);
    this.characters += text.length;
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.gathered.size === 0) return;
    const pieces = [...this.gathered].map(([stream, text]) => ({ stream, text }));
    this.gathered.clear();
    this.characters = 0;
    this.listener(pieces);
  }
}

const decoder = (): InstanceType<typeof TextDecoder> => new TextDecoder('utf-8', { ignoreBOM: true });
