import type { Bucket, StoredObject } from '@service/client';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../api';
import { bytesOf } from '../chart/units';
import { Button } from '../ui/button';
import { Copy, CopyLine } from '../ui/copy';
import { Dialog } from '../ui/dialog';
import { ErrorNote } from '../ui/error-note';
import { Fact } from '../ui/fact';
import { Choice, Form } from '../ui/form';
import { Ago } from '../ui/time';
import { openObject } from './open-object';
import { Preview } from './preview';

interface ObjectDialogProps {
  readonly org: string;
  readonly bucket: Bucket;
  /** The dialog is open while there is one. */
  readonly object: StoredObject | undefined;
  readonly mayWrite: boolean;
  readonly onClose: () => void;
  readonly onDelete: (object: StoredObject) => void;
}

/** One object: what it is, how it looks, and the ways to it. */
export function ObjectDialog({ object, onClose, ...others }: ObjectDialogProps): ReactNode {
  return (
    <Dialog open={object !== undefined} title={object?.key.split('/').at(-1) ?? ''} onClose={onClose} wide>
      {object !== undefined && <Content key={object.key} object={object} {...others} />}
    </Dialog>
  );
}

type ContentProps = Omit<ObjectDialogProps, 'object' | 'onClose'> & { readonly object: StoredObject };

function Content({ org, bucket, object, mayWrite, onDelete }: ContentProps): ReactNode {
  const [isLinking, setIsLinking] = useState(false);
  const open = useMutation({ mutationFn: () => openObject(org, bucket.id, object.key) });
  const metadata = Object.entries(object.metadata);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Preview org={org} bucket={bucket.id} object={object} />
      <dl className="grid gap-3 sm:grid-cols-2">
        <Fact name="Key">
          <code className="min-w-0 font-mono text-xs break-all">{object.key}</code>
          <Copy text={object.key} label="Copy the key" />
        </Fact>
        <Fact name="Type">
          <code className="font-mono text-xs break-all">{object.content_type}</code>
        </Fact>
        <Fact name="Size">{bytesOf(object.size_bytes)}</Fact>
        <Fact name="Changed">
          <Ago at={object.updated_at} />
        </Fact>
        {metadata.map(([name, value]) => (
          <Fact key={name} name={name}>
            <span className="break-all">{value}</span>
          </Fact>
        ))}
      </dl>
      {open.error !== null && <ErrorNote error={open.error} />}
      <div className="flex flex-wrap gap-2">
        <Button
          busy={open.isPending}
          onClick={() => {
            open.mutate();
          }}
        >
          Open or download
        </Button>
        <Button
          aria-expanded={isLinking}
          onClick={() => {
            setIsLinking(!isLinking);
          }}
        >
          Copy a link
        </Button>
        {mayWrite && (
          <Button
            look="danger"
            className="ml-auto"
            onClick={() => {
              onDelete(object);
            }}
          >
            Delete
          </Button>
        )}
      </div>
      {isLinking && <Links org={org} bucket={bucket} object={object} />}
    </div>
  );
}

const TIMES = [
  [900, '15 minutes'],
  [3_600, 'An hour'],
  [86_400, 'A day'],
  [604_800, 'A week'],
] as const;

function Links({ org, bucket, object }: Pick<ContentProps, 'org' | 'bucket' | 'object'>): ReactNode {
  const [url, setUrl] = useState<string>();
  return (
    <div className="border-line grid grid-cols-[minmax(0,1fr)] gap-3 border-t pt-4">
      {object.url !== null && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
          <p className="font-medium">Public address</p>
          <CopyLine text={object.url} label="The public address" />
        </div>
      )}
      <Form
        label="Link"
        submit="Create the link"
        look="plain"
        onSubmit={async ({ expires_in: seconds = '3600' }) => {
          const signed = await api.storage.sign(
            bucket.id,
            { method: 'GET', key: object.key, expires_in: Number(seconds) },
            { organization: org },
          );
          setUrl(signed.url);
        }}
      >
        <Choice
          label="A signed link works for"
          name="expires_in"
          defaultValue="3600"
          hint="Everyone who has the link can read this object until then."
        >
          {TIMES.map(([seconds, word]) => (
            <option key={seconds} value={seconds}>
              {word}
            </option>
          ))}
        </Choice>
      </Form>
      {url !== undefined && <CopyLine text={url} label="The signed link" />}
    </div>
  );
}
