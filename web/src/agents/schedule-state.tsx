import type { Schedule } from '@service/client';
import type { ReactNode } from 'react';
import { State } from '../ui/state';
import { PAUSES } from './schedule-words';

export function ScheduleState({ schedule }: { readonly schedule: Schedule }): ReactNode {
  if (schedule.state === 'active') return <State tone="good">Active</State>;
  const { paused_because: reason } = schedule;
  return (
    <State tone={reason === 'failures' ? 'bad' : reason === 'finished' ? 'quiet' : 'warn'}>
      {PAUSES[reason ?? 'person']}
    </State>
  );
}
