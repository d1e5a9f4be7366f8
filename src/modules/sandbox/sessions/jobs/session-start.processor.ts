import { Injectable } from '@nestjs/common';
import { type JobContext, type JobHandler, JobPostponed } from '../../../../platform/background/define-job.js';
import { Handles } from '../../../../platform/background/handles.js';
import type { SessionProcess } from '../host/session-process.js';
import { SessionProcesses } from '../host/session-processes.js';
import { HeldSessions } from '../worker/held-sessions.js';
import { SessionRoom } from '../worker/session-room.js';
import { sessionStartJob, type SessionStartPayload } from './session-start.job.js';

/** A full worker leaves the session to others for this long. */
const FULL_FOR_MS = 250;

@Injectable()
@Handles(sessionStartJob)
export class SessionStartProcessor implements JobHandler<SessionStartPayload, boolean> {
  constructor(
    private readonly room: SessionRoom,
    private readonly processes: SessionProcesses,
    private readonly held: HeldSessions,
  ) {}

  /** Returns false when the session was ended before it had started. */
  async handle(job: SessionStartPayload, { signal }: JobContext): Promise<boolean> {
    const { sessionId: id, orgId, language, limits, idleTimeoutMs, expiresAtMs } = job;
    if (!this.room.take(limits.memoryBytes)) throw new JobPostponed(FULL_FOR_MS, {}, new Error('There is no room.'));
    let process: SessionProcess;
    try {
      signal.throwIfAborted();
      process = await this.processes.start({
        id,
        language,
        limits,
        ...(job.options === undefined ? {} : { options: job.options }),
      });
    } catch (error) {
      this.room.free(limits.memoryBytes);
      throw error;
    }
    return this.held.hold(
      { id, orgId, language, memoryBytes: limits.memoryBytes, idleTimeoutMs, expiresAtMs },
      process,
    );
  }
}
