import type { AgentVersion, RunBudget } from '../agents/agent-definition.js';
import type { RunState, RunTrigger } from './domain/run-state.js';

/** Whose permissions a run has, within the scopes of its version: they are checked again before every effect. */
export interface RunStarter {
  readonly userId: string;
  /** The key that started it. Null for a person in a session. */
  readonly keyId: string | null;
}

/** A run to create. */
export interface NewRun {
  readonly orgId: string;
  readonly version: AgentVersion;
  /** Text, or a JSON object. */
  readonly input: unknown;
  readonly starter: RunStarter;
  readonly trigger: RunTrigger;
  /** Limits below those of the version. */
  readonly budget?: Partial<RunBudget>;
  readonly parentRunId?: string;
  readonly swarmId?: string;
  readonly scheduleId?: string;
  /** The run of the same agent whose conversation goes on. */
  readonly continues?: string;
  /** More subjects of budgets that the run draws from, such as `swarm:swm_…`. Their budgets must exist. */
  readonly budgetSubjects?: readonly string[];
}

/** A run that was created. */
export interface CreatedRun {
  readonly id: string;
  readonly state: RunState;
}

/** A run that has ended, for the modules that create runs. */
export interface EndedRun {
  readonly id: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly state: Extract<RunState, 'succeeded' | 'failed' | 'cancelled' | 'timed_out'>;
  readonly failureCode: string | null;
  readonly output: unknown;
  /** True when it has read text from outside of the service. */
  readonly isTainted: boolean;
  readonly parentRunId: string | null;
  readonly swarmId: string | null;
  readonly scheduleId: string | null;
}
