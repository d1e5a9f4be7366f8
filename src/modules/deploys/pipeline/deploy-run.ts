import type { Plan } from '../../plans/plan.js';
import type { Project } from '../../projects/projects.service.js';
import type { DeployVariables, LogPhase } from '../domain/deploy-facts.js';
import type { DeployLog } from '../logs/deploy-log.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import type { PhaseClock } from './phase-clock.js';

/** One attempt of a deploy on its way through the pipeline. */
export interface DeployRun {
  /** The deploy as it was when the attempt started, with the commit once that is known. */
  readonly deploy: Deploy;
  readonly project: Project;
  readonly plan: Plan;
  readonly variables: DeployVariables;
  readonly log: DeployLog;
  readonly phases: PhaseClock<LogPhase>;
  /** Aborted when the attempt is over for this worker for any reason. Each step ends then. */
  readonly signal: AbortSignal;
}

/**
 * The attempt no longer belongs to this worker, because it was cancelled or considered lost. The worker must not write
 * about it any more.
 */
export class AttemptOver extends Error {
  constructor() {
    super('The attempt is over.');
  }
}

/** The worker stops, and another worker starts the deploy again. */
export class WorkerStops extends Error {
  constructor() {
    super('The worker stops.');
  }
}
