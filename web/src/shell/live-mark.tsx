import type { ReactNode } from 'react';
import { useLiveness } from '../data/live';
import { State } from '../ui/state';

/** Says when the page does not hear of changes at once. Nothing stands here while it does. */
export function LiveMark(): ReactNode {
  const isAway = useLiveness() === 'away';
  return (
    <p role="status" className="empty:hidden" title="Changes show with a delay until the connection is back.">
      {isAway && <State tone="warn">Not live, reconnecting</State>}
    </p>
  );
}
