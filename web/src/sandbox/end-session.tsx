import type { SandboxSession } from '@service/client';
import type { ReactNode } from 'react';
import { endSession } from '../data/sandbox-sessions';
import { Confirm } from '../ui/confirm';

interface EndSessionProps {
  readonly org: string;
  /** Undefined while nothing is asked. */
  readonly session: SandboxSession | undefined;
  readonly onClose: () => void;
}

/** Asks before the variables and files of a session are gone. */
export function EndSession({ org, session, onClose }: EndSessionProps): ReactNode {
  return (
    <Confirm
      open={session !== undefined}
      title="End the session?"
      action="End the session"
      danger
      onClose={onClose}
      onConfirm={() => endSession(org, session!.id)}
    >
      Its variables and files are gone then, and what runs in it is stopped. This cannot be undone.
    </Confirm>
  );
}
