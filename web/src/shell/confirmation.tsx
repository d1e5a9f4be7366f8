import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { onConfirmationNeeded } from '../data/confirmation';
import { Dialog } from '../ui/dialog';
import { Skeleton } from '../ui/skeleton';

const ConfirmSession = lazy(async () => ({
  default: (await import('../factors/confirm-session')).ConfirmSession,
}));

type Answer = (isConfirmed: boolean) => void;

/** Asks people to show again who they are, when a call requires it. All calls that wait share one question. */
export function Confirmation(): ReactNode {
  const [waiting, setWaiting] = useState<readonly Answer[]>([]);
  useEffect(() => {
    onConfirmationNeeded(
      () =>
        new Promise((answer) => {
          setWaiting((others) => [...others, answer]);
        }),
    );
  }, []);
  const end = (isConfirmed: boolean): void => {
    for (const answer of waiting) answer(isConfirmed);
    setWaiting([]);
  };
  return (
    <Dialog
      open={waiting.length > 0}
      title="Confirm that it is you"
      onClose={() => {
        end(false);
      }}
    >
      <Suspense fallback={<Skeleton lines={2} />}>
        <ConfirmSession
          onConfirmed={() => {
            end(true);
          }}
        />
      </Suspense>
    </Dialog>
  );
}
