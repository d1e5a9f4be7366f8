import type { SandboxSession } from '@service/client';
import type { ReactNode } from 'react';
import { State } from '../ui/state';

const WORDS = {
  starting: ['Starting', 'warn'],
  awake: ['Awake', 'good'],
  frozen: ['Frozen', 'accent'],
  ended: ['Ended', 'quiet'],
  lost: ['Lost', 'bad'],
} as const;

export function SessionState({ status }: Pick<SandboxSession, 'status'>): ReactNode {
  const [word, tone] = WORDS[status];
  return (
    <State tone={tone} moving={status === 'starting'}>
      {word}
    </State>
  );
}
