import type { ReactNode } from 'react';
import { Button } from '../ui/button';
import { CopyLine } from '../ui/copy';
import { Dialog } from '../ui/dialog';

interface SecretDialogProps {
  /** The dialog is open while there is one. */
  readonly secret: string | undefined;
  readonly onClose: () => void;
}

/** The secret is shown once, and gone with the dialog. */
export function SecretDialog({ secret, onClose }: SecretDialogProps): ReactNode {
  return (
    <Dialog open={secret !== undefined} title="The secret of the endpoint" onClose={onClose} wide>
      <p className="mb-3">
        Your server checks messages with it. Copy it now: it is not shown again, and nobody can look it up.
      </p>
      <CopyLine text={secret ?? ''} label="The secret" />
      <div className="mt-5 flex items-center justify-between gap-3">
        <a className="link" href="/docs/webhooks" target="_blank" rel="noreferrer">
          How to check a message
        </a>
        <Button look="primary" onClick={onClose}>
          I have it
        </Button>
      </div>
    </Dialog>
  );
}
