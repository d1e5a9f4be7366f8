import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { DeploySignals } from '../domain/deploy-signals.js';
import type { LogLine, LogPhase, LogStream } from '../domain/deploy-facts.js';
import { DeployLogStore } from '../persistence/deploy-log.store.js';
import { type Mask, secretMask } from '../../../platform/secrets/secret-mask.js';

/** The limits of a log for the output of programs. Lines of the platform may follow when the log is full. */
export const MAX_LINES = 20_000;
export const MAX_BYTES = 4_194_304;
const MAX_LINE_LENGTH = 8_192;
const MAX_OWN_LINES_AFTER = 100;

const FLUSH_EVERY_MS = 150;
const BATCH = 500;

/**
 * Matches escape sequences and other control characters. They are removed because logs are also read in terminals, and
 * because PostgreSQL stores no NUL.
 */
const CONTROLS =
  /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[\0-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Opens logs of deploys for writing. */
@Injectable()
export class DeployLogs {
  constructor(
    private readonly lines: DeployLogStore,
    private readonly signals: DeploySignals,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Opens the log for one attempt, the only one that writes. It continues after the lines of earlier attempts. */
  async open(
    { id, attempt }: { readonly id: string; readonly attempt: number },
    secrets: readonly string[],
  ): Promise<DeployLog> {
    const size = await this.lines.size(id);
    return new DeployLog({
      size,
      mask: await this.maskOf(id, secrets),
      now: () => this.clock.now(),
      write: async (batch) => {
        await this.lines.append(id, attempt, batch);
        await this.signals.notify(id);
      },
      failed: (error) => {
        this.log.warn({ error, deployId: id }, 'Writing lines to a deploy log failed.');
      },
      unmasked: () => {
        this.reportUnmasked(id);
      },
    });
  }

  private async maskOf(deployId: string, secrets: readonly string[]): Promise<Mask | null> {
    try {
      return await secretMask(secrets);
    } catch {
      this.reportUnmasked(deployId);
      return null;
    }
  }

  /** Logs no error object, because its message may contain the secret. */
  private reportUnmasked(deployId: string): void {
    this.log.error({ deployId }, 'Masking secrets in a deploy log failed. The log was stopped.');
  }
}

interface Ends {
  readonly size: { readonly lines: number; readonly bytes: number };
  /** If there is no mask, no line of a program is kept. */
  readonly mask: Mask | null;
  readonly now: () => Date;
  readonly write: (batch: readonly LogLine[]) => Promise<void>;
  readonly failed: (error: unknown) => void;
  /** Called once, when the mask fails. */
  readonly unmasked: () => void;
}

const STOPPED = 'The log stops here because secret values could not be masked. The deploy continues.';

/** The log of an attempt. It accepts lines without waiting, and writes them in batches. */
export class DeployLog {
  private readonly waiting: LogLine[] = [];
  private seq: number;
  private bytes: number;
  private cutAt: number | undefined;
  private writing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private mask: Mask | null;
  private toldOfStop = false;

  constructor(private readonly ends: Ends) {
    this.mask = ends.mask;
    this.seq = ends.size.lines;
    this.bytes = ends.size.bytes;
    if (this.isFull()) this.cutAt = this.seq;
  }

  /** Adds a line of a program, with secrets masked. When the log is full, a note replaces the first line left out. */
  line(phase: LogPhase, stream: LogStream, text: string): void {
    if (stream === 'system') {
      this.note(phase, text);
      return;
    }
    if (this.cutAt !== undefined) return;
    this.add(phase, stream, text);
    if (!this.isFull()) return;
    this.cutAt = this.seq;
    this.add(
      phase,
      'system',
      `The log is cut here: its limit is ${MAX_LINES} lines or ${MAX_BYTES} bytes. The deploy continues.`,
    );
  }

  /** Adds a line of the platform. */
  note(phase: LogPhase, text: string): void {
    if (this.cutAt === undefined || this.seq < this.cutAt + MAX_OWN_LINES_AFTER) this.add(phase, 'system', text);
  }

  /** Resolves when all lines so far are written or have failed. */
  async flushed(): Promise<void> {
    this.flush();
    await this.writing;
  }

  private add(phase: LogPhase, stream: LogStream, text: string): void {
    const masked = this.masked(text);
    if (masked === null) this.stop(phase);
    else this.keep(phase, stream, masked);
  }

  /** Null when masking failed, because a line that is not masked must not be kept. */
  private masked(text: string): string | null {
    try {
      return this.mask?.(wellFormed(text.replace(CONTROLS, ''))) ?? null;
    } catch {
      this.mask = null;
      this.ends.unmasked();
      return null;
    }
  }

  private stop(phase: LogPhase): void {
    if (this.toldOfStop) return;
    this.toldOfStop = true;
    this.keep(phase, 'system', STOPPED);
  }

  private keep(phase: LogPhase, stream: LogStream, plain: string): void {
    const kept = plain.length > MAX_LINE_LENGTH ? `${wellFormed(plain.slice(0, MAX_LINE_LENGTH))} …` : plain;
    this.bytes += Buffer.byteLength(kept);
    this.waiting.push({ seq: ++this.seq, at: this.ends.now(), phase, stream, text: kept });
    if (this.waiting.length >= BATCH) this.flush();
    else
      this.timer ??= setTimeout(() => {
        this.flush();
      }, FLUSH_EVERY_MS);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const batch = this.waiting.splice(0);
    if (batch.length === 0) return;
    this.writing = this.writing.then(() => this.ends.write(batch)).catch(this.ends.failed);
  }

  private isFull(): boolean {
    return this.seq >= MAX_LINES || this.bytes >= MAX_BYTES;
  }
}

/** Lone surrogates, which have no UTF-8 form, become U+FFFD. */
const wellFormed = (text: string): string => Buffer.from(text).toString();
