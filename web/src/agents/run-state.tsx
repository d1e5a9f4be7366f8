import type { AgentRun, AgentRunWait } from '@service/client';
import type { ReactNode } from 'react';
import { State } from '../ui/state';

type Tone = 'good' | 'bad' | 'warn' | 'quiet' | 'accent';

const LOOKS: Readonly<Record<AgentRun['state'], readonly [Tone, string]>> = {
  queued: ['quiet', 'Queued'],
  running: ['warn', 'Running'],
  waiting: ['accent', 'Waiting'],
  succeeded: ['good', 'Succeeded'],
  failed: ['bad', 'Failed'],
  cancelled: ['quiet', 'Cancelled'],
  timed_out: ['bad', 'Timed out'],
};

const WAITS: Readonly<Record<AgentRunWait, string>> = {
  approval: 'Needs approval',
  answer: 'Asks a question',
  children: 'Waits for other runs',
  timer: 'Sleeps',
  budget: 'Budget used up',
  unknown_outcome: 'Outcome unknown',
};

/** The states that a list can be narrowed to, by their words. */
export const RUN_STATES = Object.entries(LOOKS).map(([state, [, word]]) => ({
  state: state as AgentRun['state'],
  word,
}));

export function RunState({ run }: { readonly run: Pick<AgentRun, 'state' | 'waiting_for'> }): ReactNode {
  const [tone, word] = LOOKS[run.state];
  const wait = run.state === 'waiting' && run.waiting_for != null ? WAITS[run.waiting_for] : word;
  return (
    <State tone={tone} moving={run.state === 'running'}>
      {wait}
    </State>
  );
}
