import { type ReactNode, useSyncExternalStore } from 'react';
import { Button } from './button';
import { ErrorNote } from './error-note';
import { Icon } from './icons';

interface Notice {
  readonly id: number;
  readonly error: unknown;
}

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function put(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

/**
 * Says that something failed after it was shown as done. It is for nothing else: what a screen shows needs no notice,
 * and an error of a form stands in the form.
 */
export function noticeFailure(error: unknown): void {
  put([...notices.slice(-2), { id: ++lastId, error }]);
}

export function Notices(): ReactNode {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices,
  );
  return (
    <div className="fixed right-4 bottom-4 z-20 grid w-80 max-w-[calc(100%-2rem)] gap-2">
      {shown.map(({ id, error }) => (
        <div key={id} className="card bg-raised relative p-2 pr-10 shadow-[var(--shadow)]">
          <ErrorNote error={error} />
          <Button
            look="quiet"
            aria-label="Close"
            className="absolute top-1.5 right-1.5 !px-2"
            onClick={() => {
              put(notices.filter((notice) => notice.id !== id));
            }}
          >
            <Icon name="close" size={14} />
          </Button>
        </div>
      ))}
    </div>
  );
}
