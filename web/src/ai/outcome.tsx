import type { Generation } from '@service/client';
import type { ReactNode } from 'react';
import { State } from '../ui/state';

const LOOKS = {
  succeeded: ['good', 'Succeeded'],
  cancelled: ['quiet', 'Stopped'],
  failed: ['bad', 'Failed'],
  lost: ['warn', 'Lost'],
} as const;

/** The outcomes that a list can be narrowed to, by their words. */
export const OUTCOMES = Object.entries(LOOKS).map(([outcome, [, word]]) => ({
  outcome: outcome as Generation['outcome'],
  word,
}));

export function Outcome({ outcome }: Pick<Generation, 'outcome'>): ReactNode {
  const [tone, word] = LOOKS[outcome];
  return <State tone={tone}>{word}</State>;
}
