import { type ReactNode, useRef, useState } from 'react';
import { refreshStorage } from '../data/storage';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { deleteObjects } from './deletion';

export interface Doomed {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
}

interface DeleteDialogProps {
  readonly org: string;
  readonly bucket: string;
  /** The dialog is open while there is something to delete. */
  readonly doomed: Doomed | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks, and says how far it is: thousands of objects take their time. */
export function DeleteDialog({ org, bucket, doomed, onClose, onDone }: DeleteDialogProps): ReactNode {
  const [gone, setGone] = useState<number>();
  const stop = useRef<AbortController>(undefined);
  const close = (): void => {
    stop.current?.abort();
    setGone(undefined);
    onClose();
  };
  const { keys = [], prefixes = [] } = doomed ?? {};
  return (
    <Dialog open={doomed !== undefined} title={`Delete ${inWords(keys, prefixes)}?`} onClose={close}>
      <Form
        label="Delete"
        submit="Delete"
        look="danger"
        aside={<Button onClick={close}>Cancel</Button>}
        onSubmit={async () => {
          stop.current = new AbortController();
          try {
            await deleteObjects({ org, bucket, keys, prefixes, onProgress: setGone, signal: stop.current.signal });
          } finally {
            void refreshStorage(org);
          }
          setGone(undefined);
          onDone();
        }}
      >
        <p className="text-muted">
          {prefixes.length > 0 && 'Everything in a folder goes with it. '}Deleted objects cannot be brought back.
        </p>
        <p role="status" className="tabular-nums empty:hidden">
          {gone !== undefined && `${gone} deleted so far`}
        </p>
      </Form>
    </Dialog>
  );
}

function inWords(keys: readonly string[], prefixes: readonly string[]): string {
  if (keys.length === 1 && prefixes.length === 0) return keys[0]!;
  if (keys.length === 0 && prefixes.length === 1) return prefixes[0]!;
  const parts = [
    keys.length > 0 && `${keys.length} ${keys.length === 1 ? 'object' : 'objects'}`,
    prefixes.length > 0 && `${prefixes.length} ${prefixes.length === 1 ? 'folder' : 'folders'}`,
  ];
  return parts.filter(Boolean).join(' and ');
}
