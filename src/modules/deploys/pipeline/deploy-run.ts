import type { Plan } from '../../plans/plan.js';
import type { Project } from '../../projects/projects.service.js';
import type { DeployVariables, LogPhase } from '../domain/deploy-facts.js';
import type { DeployLog } from '../logs/deploy-log.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import type { PhaseClock } from './phase-clock.js';

/** One attempt of a deploy on its way through the pipeline. */
export interface DeployRun {
  /** As it was when the attempt began, and with the commit once that is known. */
  readonly deploy: Deploy;
  readonly project: Project;
  readonly plan: Plan;
  readonly variables: DeployVariables;
  readonly log: DeployLog;
  readonly phases: PhaseClock<LogPhase>;
  /** Aborted when the attempt is over for this worker, whyever: each step ends then. */
  readonly signal: AbortSignal;
}

/**
 * The attempt belongs to this worker no more: it was cancelled, or taken for lost. Nothing is left to be said of it.
 */
export class AttemptOver extends Error {
  constructor() {
    super('The attempt is over.');
  }
}

/** The worker stops; another one is to begin anew. */
export class WorkerStops extends Error {
  constructor() {
    super('The worker stops.');
  }
}
