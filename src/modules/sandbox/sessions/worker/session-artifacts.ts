import { Injectable } from '@nestjs/common';
import { ArtifactReceivers } from '../../artifacts/artifact-receivers.js';
import type { ExecutionArtifacts, KeptArtifact } from '../../domain/artifacts.js';
import { MAX_COLLECTING_MS, type SessionProcess } from '../host/session-process.js';
import type { RecordedWork } from '../line/session-messages.js';
import type { HeldSession } from './held-session.js';

/** A storage that has everything and does not confirm it keeps the next run waiting no longer than this. */
const STORED_WITHIN_MS = 10_000;

/** What became of the artifacts of one run. */
interface Collected {
  readonly artifacts: ExecutionArtifacts;
  /** How long sending took. It counts as time of the run; what the storage needs beyond that does not. */
  readonly tookMs: number;
}

/** Stores the artifacts of runs in sessions of this worker. */
@Injectable()
export class SessionArtifacts {
  constructor(private readonly receivers: ArtifactReceivers) {}

  /**
   * Takes what is in `/artifacts` at the end of a run that has taken `ranMs`. Sending it may take what is left of the
   * time limit of the run, and a moment. They stay there until {@link remove} is called. Null when the run does not
   * ask for it.
   *
   * @throws the reason of `signal` when it is aborted.
   */
  async collect(
    process: SessionProcess,
    work: RecordedWork,
    ranMs: number,
    signal: AbortSignal,
  ): Promise<Collected | null> {
    const { artifactBytes: bytes, timeoutMs } = work.limits;
    if (bytes === undefined) return null;
    const startedAtMs = performance.now();
    const withinMs = Math.max(0, timeoutMs - ranMs) + MAX_COLLECTING_MS;
    const receiver = this.receivers.open(work, withinMs, signal);
    const notSent = await process.collectArtifacts({ bytes, withinMs }, receiver, signal);
    const tookMs = performance.now() - startedAtMs;
    const { artifacts, errors } = await receiver.end(STORED_WITHIN_MS);
    signal.throwIfAborted();
    return { artifacts: { kept: artifacts, errors: [...notSent, ...errors] }, tookMs };
  }

  /** Removes from the session what a run has kept. Call it when its row says so: until then they are all there is. */
  async remove(session: HeldSession, kept: readonly KeptArtifact[]): Promise<void> {
    if (kept.length === 0) return;
    const paths = kept.map(({ path }) => path);
    // The files of a session that has ended are gone.
    await session.use((process) => process.removeCollected(paths), true).catch(() => undefined);
  }
}
