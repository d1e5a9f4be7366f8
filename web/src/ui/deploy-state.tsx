import type { ReactNode } from 'react';
import { State } from './state';

type Look = readonly [word: string, tone: 'quiet' | 'warn' | 'good' | 'bad'];

const WORDS: Readonly<Record<string, Look>> = {
  queued: ['Queued', 'quiet'],
  initializing: ['Starting', 'warn'],
  building: ['Building', 'warn'],
  deploying: ['Deploying', 'warn'],
  ready: ['Ready', 'good'],
  error: ['Failed', 'bad'],
  canceled: ['Canceled', 'quiet'],
  skipped: ['Skipped', 'quiet'],
};

/** The states that a list can be narrowed to, by their words. */
export const DEPLOY_STATES = Object.entries(WORDS).map(([state, [word]]) => ({ state, word }));

export function DeployState({ deploy }: { readonly deploy: { readonly state: string } }): ReactNode {
  const [word, tone] = WORDS[deploy.state] ?? [deploy.state, 'quiet'];
  return (
    <State tone={tone} moving={tone === 'warn'}>
      {word}
    </State>
  );
}
