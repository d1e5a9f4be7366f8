import type { Deploy } from '@service/client';
import type { ReactNode } from 'react';
import { State } from './state';

const WORDS = {
  queued: ['Queued', 'quiet'],
  initializing: ['Starting', 'warn'],
  building: ['Building', 'warn'],
  deploying: ['Deploying', 'warn'],
  ready: ['Ready', 'good'],
  error: ['Failed', 'bad'],
  canceled: ['Canceled', 'quiet'],
  skipped: ['Skipped', 'quiet'],
} as const;

export function DeployState({ deploy }: { readonly deploy: Pick<Deploy, 'state'> }): ReactNode {
  const [word, tone] = WORDS[deploy.state];
  return (
    <State tone={tone} moving={tone === 'warn'}>
      {word}
    </State>
  );
}
