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

  constructor(
    private readonly store: StoreFile,
    withinMs: number,
  ) {
    this.isLate = sleep(withinMs, undefined, { signal: this.waiting.signal, ref: false }).catch(() => undefined);
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

  /** Call it when nothing more arrives. What is not stored by now is waited for until it is late. */
  async end(): Promise<{ artifacts: readonly KeptArtifact[]; errors: readonly ArtifactError[] }> {
    const whole = this.files.filter(({ left }) => left === 0);
    for (const { left, stream } of this.files) if (left > 0) stream.destroy(new Error('The program was ended.'));
    await Promise.race([Promise.all(this.files.map(({ stored }) => stored)), this.isLate]);
    this.waiting.abort();
    for (const { stream, kept } of whole) if (kept === null) stream.destroy(new Error('It took too long.'));
    return {
      artifacts: whole.flatMap(({ kept }) => (kept === null ? [] : [kept])),
      errors: whole.filter(({ kept }) => kept === null).map(({ path }) => artifactError('not_stored', path)),
    };
  }

  private async finish(incoming: Incoming, file: SentFile): Promise<void> {
    const facts = await this.store(file, incoming.stream);
    if (facts === null) incoming.stream.destroy();
    else if (incoming.left === 0) incoming.kept = { ...facts, sha256: incoming.hash.digest('hex') };
  }
}
