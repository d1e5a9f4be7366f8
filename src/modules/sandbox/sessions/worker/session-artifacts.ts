import { Injectable } from '@nestjs/common';
import { ArtifactReceivers } from '../../artifacts/artifact-receivers.js';
import type { ExecutionArtifacts } from '../../domain/artifacts.js';
import { MAX_COLLECTING_MS, type SessionProcess } from '../host/session-process.js';
import type { RecordedWork } from '../line/session-messages.js';

/** What became of the artifacts of one run. */
interface Collected {
  readonly artifacts: ExecutionArtifacts;
  /** It counts as time of the run. */
  readonly tookMs: number;
}

/** Stores the artifacts of runs in sessions of this worker. */
@Injectable()
export class SessionArtifacts {
  constructor(private readonly receivers: ArtifactReceivers) {}

  /**
   * Takes what is in `/artifacts` at the end of a run that has taken `ranMs`. Sending it may take what is left of the
   * time limit of the run, and a moment. Null when the run does not ask for it.
   */
  async collect(process: SessionProcess, work: RecordedWork, ranMs: number): Promise<Collected | null> {
    const { artifactBytes: bytes, timeoutMs } = work.limits;
    if (bytes === undefined) return null;
    const startedAtMs = performance.now();
    const withinMs = Math.max(0, timeoutMs - ranMs) + MAX_COLLECTING_MS;
    const receiver = this.receivers.open(work, withinMs);
    const notSent = await process.collectArtifacts({ bytes, withinMs }, receiver);
    const { artifacts, errors } = await receiver.end();
    return { artifacts: { kept: artifacts, errors: [...notSent, ...errors] }, tookMs: performance.now() - startedAtMs };
  }
}
