import type { RunBudget } from '../../agents/agent-definition.js';
import { type RunState, type RunTrigger, type RunWait } from './run-state.js';

/** Why a run failed. */
export interface RunFailure {
  readonly code: string;
  readonly message: string;
}

/** What has been used of the limits of a run besides money. */
interface RunUse {
  readonly steps: number;
  readonly activeMs: number;
  readonly toolCalls: number;
}

export interface Run {
  readonly id: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly agentVersion: number;
  readonly rootRunId: string;
  readonly parentRunId: string | null;
  readonly depth: number;
  readonly swarmId: string | null;
  readonly scheduleId: string | null;
  readonly continues: string | null;
  readonly trigger: RunTrigger;
  readonly userId: string;
  readonly keyId: string | null;
  readonly state: RunState;
  readonly waitingFor: RunWait | null;
  readonly waitDetail: Readonly<Record<string, unknown>> | null;
  /** When a waiting run wakes by itself. */
  readonly wakesAt: Date | null;
  readonly failure: RunFailure | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly isTainted: boolean;
  readonly budget: RunBudget;
  /** The subjects of all budgets that the run draws from, its own first. */
  readonly budgetSubjects: readonly string[];
  readonly used: RunUse;
  readonly attempt: number;
  readonly losses: number;
  /** How often it was woken. */
  readonly wakes: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

export type StepKind = 'answer' | 'summary';

/** A step: one answer of a model, with the tools that it calls. */
export interface RunStep {
  readonly seq: number;
  readonly kind: StepKind;
  readonly state: 'asking' | 'answered';
  /** How often the model was asked. */
  readonly asks: number;
  readonly model: string | null;
  readonly text: string | null;
  readonly generationId: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly costNano: bigint | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

/** What a person says to a run, or the answer to one of its questions. */
export interface RunMessage {
  readonly seq: number;
  readonly afterStep: number;
  readonly callId: string | null;
  readonly content: unknown;
  readonly createdAt: Date;
}
