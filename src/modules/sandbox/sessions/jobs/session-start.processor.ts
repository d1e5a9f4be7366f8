import { Injectable } from '@nestjs/common';
import { type JobContext, type JobHandler, JobPostponed } from '../../../../platform/background/define-job.js';
import { Handles } from '../../../../platform/background/handles.js';
import type { LayerLease } from '../../../builds/package-layers.js';
import { packagesInside } from '../../languages/package-mounts.js';
import { type RunNetwork, RunNetworks } from '../../network/run-networks.js';
import { PackageInstaller } from '../../packages/package-installer.js';
import type { SessionProcess, SessionStart } from '../host/session-process.js';
import { SessionProcesses } from '../host/session-processes.js';
import { SessionSignals } from '../session-signals.js';
import { HeldSessions } from '../worker/held-sessions.js';
import { SessionRoom } from '../worker/session-room.js';
import { sessionStartJob, type SessionStarted, type SessionStartPayload } from './session-start.job.js';

/**
 * A full worker leaves the session to others for as long as it has waited, within these bounds. Room that becomes free
 * wakes it before.
 */
const FULL_FOR_MS = { least: 250, most: 4_000 };

@Injectable()
@Handles(sessionStartJob)
export class SessionStartProcessor implements JobHandler<SessionStartPayload, SessionStarted> {
  constructor(
    private readonly room: SessionRoom,
    private readonly packages: PackageInstaller,
    private readonly networks: RunNetworks,
    private readonly processes: SessionProcesses,
    private readonly held: HeldSessions,
    private readonly signals: SessionSignals,
  ) {}

  async handle(job: SessionStartPayload, { signal, waitedMs }: JobContext): Promise<SessionStarted> {
    const { sessionId: id, orgId, language, limits, packages, allowedHosts, idleTimeoutMs, expiresAtMs } = job;
    if (allowedHosts !== undefined && !this.processes.canHaveEgress) return 'without_network';
    if (!this.room.take(limits.memoryBytes, orgId)) {
      const fullForMs = Math.min(FULL_FOR_MS.most, Math.max(FULL_FOR_MS.least, waitedMs));
      throw new JobPostponed(fullForMs, {}, new Error('There is no room.'));
    }
    let process: SessionProcess;
    let lease: LayerLease | undefined;
    let network: RunNetwork | undefined;
    /** No layer is removed while a session has it, and the way out ends with the session. */
    const leave = async (): Promise<void> => {
      lease?.release();
      await network?.close();
    };
    try {
      signal.throwIfAborted();
      if (packages !== undefined) lease = await this.packages.leaseOrPostpone(packages);
      if (allowedHosts !== undefined) network = await this.networks.open({ session_id: id }, allowedHosts);
      process = await this.processes.start({
        id,
        language,
        limits,
        ...placeOf(job, lease),
        ...(network === undefined ? {} : { egress: network }),
      });
    } catch (error) {
      this.room.free(limits.memoryBytes, orgId);
      await leave();
      throw error;
    }
    void process.ended.then(leave);
    const facts = { id, orgId, language, memoryBytes: limits.memoryBytes, idleTimeoutMs, expiresAtMs };
    const isHeld = await this.held.hold(facts, process);
    void this.signals.notify(id);
    return isHeld;
  }
}

function placeOf(
  { language, options }: SessionStartPayload,
  lease: LayerLease | undefined,
): Pick<SessionStart, 'mounts' | 'options'> {
  if (lease === undefined) return options === undefined ? {} : { options };
  const { mounts, environment } = packagesInside(language, lease.directory);
  return { mounts, options: { ...options, environment: { ...environment, ...options?.environment } } };
}
