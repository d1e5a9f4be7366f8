import type { IssuedDatabaseCredential } from '@service/client';
import { type ReactNode, useState } from 'react';
import { Button } from '../ui/button';
import { CodeBlock } from '../ui/code-block';
import { CopyLine } from '../ui/copy';
import { Dialog } from '../ui/dialog';
import { snippetsOf } from './snippets';

interface UrlDialogProps {
  /** The dialog is open while there is one. */
  readonly made: IssuedDatabaseCredential | undefined;
  readonly onClose: () => void;
}

/** The address with its secret is shown once, and gone with the dialog. */
export function UrlDialog({ made, onClose }: UrlDialogProps): ReactNode {
  const [way, setWay] = useState('psql');
  const snippets = made === undefined ? [] : snippetsOf(made.url);
  const shown = snippets.find(({ name }) => name === way) ?? snippets[0];
  return (
    <Dialog open={made !== undefined} title="Your connection URL" onClose={onClose} wide>
      <p className="mb-3">
        Copy it now: it holds a secret that is not shown again. Keep it out of your code, and give it to programs as{' '}
        <code className="font-mono text-sm">DATABASE_URL</code>.
      </p>
      <CopyLine text={made?.url ?? ''} label="The connection URL" />
      <div role="group" aria-label="Way to connect" className="mt-5 mb-2 flex flex-wrap gap-1">
        {snippets.map(({ name }) => (
          <Button
            key={name}
            look={name === shown?.name ? 'plain' : 'quiet'}
            aria-pressed={name === shown?.name}
            onClick={() => {
              setWay(name);
            }}
          >
            {name}
          </Button>
        ))}
      </div>
      {shown !== undefined && <CodeBlock text={shown.code} label={`Connect with ${shown.name}`} wrap />}
      <div className="mt-5 flex justify-end">
        <Button look="primary" onClick={onClose}>
          I have it
        </Button>
      </div>
    </Dialog>
  );
}
