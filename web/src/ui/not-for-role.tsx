import type { ReactNode } from 'react';
import { Empty } from './empty';

/** What stands in place of the money of an organization, for roles that may not see it. */
export function NotForRole(): ReactNode {
  return (
    <Empty icon="billing" title="Only owners and admins see costs and invoices">
      Ask an owner or an admin of the organization to change your role, or to look it up for you.
    </Empty>
  );
}
