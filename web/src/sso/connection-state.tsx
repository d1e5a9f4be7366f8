import type { SsoConnection } from '@service/client';
import type { ReactNode } from 'react';
import { State } from '../ui/state';

const STATES = {
  draft: ['quiet', 'Draft'],
  tested: ['accent', 'Tested'],
  active: ['good', 'Active'],
  paused: ['warn', 'Paused'],
} as const;

export function ConnectionState({ status }: Pick<SsoConnection, 'status'>): ReactNode {
  const [tone, word] = STATES[status];
  return <State tone={tone}>{word}</State>;
}
