import type { Swarm } from '@service/client';
import type { ReactNode } from 'react';
import { State } from '../ui/state';

const LOOKS = {
  running: ['warn', 'Running'],
  stalled: ['bad', 'Stalled'],
  succeeded: ['good', 'Succeeded'],
  failed: ['bad', 'Failed'],
  cancelled: ['quiet', 'Cancelled'],
} as const;

export function SwarmState({ swarm }: { readonly swarm: Pick<Swarm, 'state'> }): ReactNode {
  const [tone, word] = LOOKS[swarm.state];
  return (
    <State tone={tone} moving={swarm.state === 'running'}>
      {word}
    </State>
  );
}
