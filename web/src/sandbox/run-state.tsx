import type { ListedRun } from '@service/client';
import type { ReactNode } from 'react';
import { State } from '../ui/state';

const WORDS = {
  queued: ['Queued', 'quiet'],
  running: ['Running', 'warn'],
  succeeded: ['Succeeded', 'good'],
  failed: ['Failed', 'bad'],
  timed_out: ['Timed out', 'bad'],
  out_of_memory: ['Out of memory', 'bad'],
  output_limit: ['Too much output', 'bad'],
  cancelled: ['Stopped', 'quiet'],
  lost: ['Lost', 'bad'],
} as const;

export function RunState({ status }: Pick<ListedRun, 'status'>): ReactNode {
  const [word, tone] = WORDS[status];
  return (
    <State tone={tone} moving={status === 'running'}>
      {word}
    </State>
  );
}
