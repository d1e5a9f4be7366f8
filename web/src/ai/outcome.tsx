import type { Generation } from '@service/client';
import type { ReactNode } from 'react';
import { State } from '../ui/state';

const LOOKS = {
  succeeded: ['good', 'Succeeded'],
  cancelled: ['quiet', 'Stopped'],
  failed: ['bad', 'Failed'],
  lost: ['warn', 'Lost'],
} as const;

export function Outcome({ outcome }: Pick<Generation, 'outcome'>): ReactNode {
  const [tone, word] = LOOKS[outcome];
  return <State tone={tone}>{word}</State>;
}
