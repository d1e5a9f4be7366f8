import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ArtifactError,
  artifactError,
  type ArtifactSink,
  type KeptArtifact,
  type SentFile,
} from '../domain/artifacts.js';

/** Stores the content of a file, and returns what is known of it then; null when it could not. */
export type StoreFile = (file: SentFile, content: PassThrough) => Promise<Omit<KeptArtifact, 'sha256'> | null>;

interface Incoming {
  readonly path: string;
  readonly stream: PassThrough;
  readonly hash: Hash;
  readonly stored: Promise<void>;
  left: number;
  kept: KeptArtifact | null;
}

/** Takes the files of one execution and stores them while they arrive. What takes too long is given up. */
export class ArtifactReceiver implements ArtifactSink {
  private readonly files: Incoming[] = [];
  private readonly waiting = new AbortController();
  private readonly isLate: Promise<unknown>;

  /** @param signal gives up what is not stored when it is aborted, as when it takes too long. */
  constructor(
    private readonly store: StoreFile,
    withinMs: number,
    signal?: AbortSignal,
  ) {
    this.isLate = this.passed(withinMs, signal);
  }

  begin(file: SentFile): void {
    const stream = new PassThrough();
    // The storage reports what goes wrong with it.
    stream.on('error', () => undefined);
    const incoming: Incoming = {
      path: file.path,
      stream,
      hash: createHash('sha256'),
      left: file.sizeBytes,
      kept: null,
      stored: Promise.resolve().then(() => this.finish(incoming, file)),
    };
    this.files.push(incoming);
    if (incoming.left === 0) stream.end();
  }

  async take(piece: Buffer): Promise<void> {
    const incoming = this.files.at(-1);
    if (incoming === undefined) return;
    incoming.hash.update(piece);
    incoming.left -= piece.length;
    const { stream } = incoming;
    const hasRoom = stream.destroyed || stream.write(piece);
    if (incoming.left <= 0) stream.end();
    else if (!hasRoom) await Promise.race([once(stream, 'drain').catch(() => undefined), incoming.stored, this.isLate]);
  }

  /**
   * Call it when nothing more arrives. What is not stored by now is waited for until it is late, but no longer than
   * `withinMs` from now.
   */
  async end(withinMs?: number): Promise<{ artifacts: readonly KeptArtifact[]; errors: readonly ArtifactError[] }> {
    const whole = this.files.filter(({ left }) => left === 0);
    for (const { left, stream } of this.files) if (left > 0) stream.destroy(new Error('The program was ended.'));
    const stored = Promise.all(this.files.map((file) => file.stored));
    await Promise.race([stored, this.isLate, ...(withinMs === undefined ? [] : [this.passed(withinMs)])]);
    this.waiting.abort();
    for (const { stream, kept } of whole)
      if (kept === null) stream.destroy(new Error('It took too long, or the run was cancelled.'));
    return {
      artifacts: whole.flatMap(({ kept }) => (kept === null ? [] : [kept])),
      errors: whole.filter(({ kept }) => kept === null).map(({ path }) => artifactError('not_stored', path)),
    };
  }

  /** Resolves after this time, when the signal is aborted, and when nothing is waited for any longer. */
  private passed(ms: number, signal?: AbortSignal): Promise<unknown> {
    const signals = signal === undefined ? [this.waiting.signal] : [this.waiting.signal, signal];
    return sleep(ms, undefined, { signal: AbortSignal.any(signals), ref: false }).catch(() => undefined);
  }

  private async finish(incoming: Incoming, file: SentFile): Promise<void> {
    const facts = await this.store(file, incoming.stream);
    if (facts === null) incoming.stream.destroy();
    else if (incoming.left === 0) incoming.kept = { ...facts, sha256: incoming.hash.digest('hex') };
  }
}
