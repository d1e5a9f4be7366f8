import type { AgentFacts } from '../agent-definition.js';

export const AGENT_STATES = ['active', 'paused'] as const;
export type AgentState = (typeof AGENT_STATES)[number];

export const PAUSED_BECAUSE = ['person', 'plan'] as const;
export type PausedBecause = (typeof PAUSED_BECAUSE)[number];

/** An agent as it is stored. */
export interface Agent {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly state: AgentState;
  readonly pausedBecause: PausedBecause | null;
  readonly liveVersion: number;
  readonly lastVersion: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly createdBy: string | null;
}

export const factsOf = ({ id, orgId, slug, name, state, liveVersion }: Agent): AgentFacts => ({
  id,
  orgId,
  slug,
  name,
  isActive: state === 'active',
  liveVersion,
});
