import type { Database } from '@service/client';
import type { ReactNode } from 'react';
import { State } from '../ui/state';
import { ACTIVITIES, isChanging, STATES } from './database-words';

/** The state, and for one that is ready what it does now. */
export function DatabaseState({ database }: { readonly database: Database }): ReactNode {
  const [tone, word] = STATES[database.state];
  if (database.state !== 'ready')
    return (
      <State tone={tone} moving={isChanging(database)}>
        {word}
      </State>
    );
  const [activity, hint] = ACTIVITIES[database.activity];
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <span title={hint}>
        <State tone={database.activity === 'active' || database.activity === 'idle' ? 'good' : 'quiet'}>
          {activity}
        </State>
      </span>
      {database.read_only_because !== null && <State tone="warn">Read only</State>}
    </span>
  );
}
