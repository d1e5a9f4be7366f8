import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../../platform/database/database-unavailable.js';
import { Log } from '../../../platform/logging/log.js';
import { isRedisUnavailable } from '../../../platform/redis/redis-unavailable.js';
import { BuildFailed } from '../../builds/build-failed.js';
import { ArtifactRefused, ServerDidNotStart } from '../../hosting/hosting.errors.js';
import { DeployFailed } from '../domain/deploy-failure.js';
import { DeployTransitions } from '../domain/deploy-transitions.js';
import { AttemptOver, type DeployRun } from './deploy-run.js';

/** An attempt that lost its database or Redis is begun again as often as one that lost its worker. */
const MAX_LOSSES = 1;

/** Decides how an attempt ends that did not become ready, and cleans up after each attempt. */
@Injectable()
export class AttemptEnding {
  constructor(
    private readonly transitions: DeployTransitions,
    private readonly log: Log,
  ) {}

  /**
   * Hands the deploy back because the worker stops, so that another worker begins it again. It has no effect on a
   * deploy that has ended.
   */
  async handBack({ deploy, log, phases }: Omit<DeployRun, 'signal'>): Promise<void> {
    log.note(phases.now, 'The worker stops. The deploy starts again on another worker.');
    await log.flushed();
    await this.transitions.handedBack(deploy, 'worker_stopped');
  }

  /** Writes nothing when the attempt is no longer this worker's, and fails the deploy otherwise. */
  async end(run: DeployRun, thrown: unknown): Promise<void> {
    const { deploy, log, phases, signal } = run;
    if (signal.aborted || thrown instanceof AttemptOver) return;
    const failure = failureOf(thrown);
    if (failure.code === UNAVAILABLE.code && deploy.losses < MAX_LOSSES) {
      this.log.warn({ error: thrown, deployId: deploy.id, orgId: deploy.orgId }, 'A deploy lost a backend.');
      log.note(phases.now, 'A part of the service was unavailable for a moment. The deploy starts again.');
      await log.flushed();
      await this.transitions.handedBack(deploy, 'worker_lost');
      return;
    }
    if (failure.code === 'internal_error')
      this.log.error({ error: thrown, deployId: deploy.id, orgId: deploy.orgId }, 'Deploy failed with internal error.');
    log.note(phases.now, failure.message);
    await log.flushed();
    await this.transitions.failed(deploy, failure, phases.read());
  }

  /** Runs one step of cleaning up. Its failure is logged, because it is no reason for a live deploy to fail. */
  async cleanUp(close: () => Promise<void>): Promise<void> {
    try {
      await close();
    } catch (error) {
      this.log.error({ error }, 'Cleaning up after a build failed.');
    }
  }
}

const UNAVAILABLE = {
  code: 'service_unavailable',
  message: 'A part of the service was temporarily unavailable, twice during the deploy. Deploy again in a few minutes.',
};

function failureOf(thrown: unknown): Pick<DeployFailed, 'code' | 'message'> {
  if (thrown instanceof DeployFailed || thrown instanceof BuildFailed || thrown instanceof ArtifactRefused)
    return explained(thrown);
  if (thrown instanceof ServerDidNotStart) return explained({ code: 'server_did_not_start', message: thrown.message });
  if (isDatabaseUnavailable(thrown) || isRedisUnavailable(thrown)) return UNAVAILABLE;
  return {
    code: 'internal_error',
    message: 'The deploy failed with an internal error. Deploy again, and report the id of the deploy if it persists.',
  };
}

/** Adds where the page on deploys lists the code, unless the message leads to a place that is more exact. */
function explained({ code, message }: Pick<DeployFailed, 'code' | 'message'>): Pick<DeployFailed, 'code' | 'message'> {
  if (message.includes(' See /docs/')) return { code, message };
  // What other servers have said need not end as a sentence.
  return { code, message: `${message.replace(/\.?$/, '.')} See /docs/deploys#errors.` };
}
