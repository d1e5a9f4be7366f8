import type { ReactNode } from 'react';
import { Empty } from '../ui/empty';

/** What stands in place of calls of models, for roles that may not make any. */
export function NotForCalls(): ReactNode {
  return (
    <Empty icon="ai" title="Your role does not allow calling models">
      Ask an owner or an admin of the organization to change it.
    </Empty>
  );
}
