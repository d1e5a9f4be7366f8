import type { IssuedStorageAccessKey, StorageAccessKey } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { accessKeysQuery, bucketsQuery, refreshStorage } from '../../data/storage';
import { KEY_ACCESSES } from '../../storage/attach-bucket';
import { StorageFrame } from '../../storage/storage-frame';
import { AddButton } from '../../ui/add-button';
import { Button } from '../../ui/button';
import { CodeBlock } from '../../ui/code-block';
import { Confirm } from '../../ui/confirm';
import { CopyLine } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { EndsChoice } from '../../ui/ends-choice';
import { Choice, Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Table } from '../../ui/table';
import { When } from '../../ui/time';

interface Params {
  readonly org: string;
}

const DAY_MS = 86_400_000;

export function prepare({ org }: Params): void {
  queries.infiniteQuery(accessKeysQuery(org)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const keys = useInfiniteQuery(accessKeysQuery(org));
  const mayWrite = useMay(org, 'storage:write');
  const [open, setOpen] = useState<'new' | StorageAccessKey>();
  const [made, setMade] = useState<IssuedStorageAccessKey>();
  const close = (): void => {
    setOpen(undefined);
  };
  const doomed = typeof open === 'object' ? open : undefined;
  const add = mayWrite && (
    <AddButton
      onClick={() => {
        setOpen('new');
      }}
    >
      New access key
    </AddButton>
  );
  return (
    <StorageFrame org={org} open="storageKeys" actions={add}>
      <Loaded query={keys}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty icon="keys" title="No access keys yet" action={add}>
              S3 clients sign their requests with a key pair. Apps of attached projects get one by themselves.
            </Empty>
          ) : (
            <Keys org={org} rows={rowsOf(data)} mayWrite={mayWrite} onDelete={setOpen} more={<More query={keys} />} />
          )
        }
      </Loaded>
      <NewKeyDialog
        org={org}
        open={open === 'new'}
        onClose={close}
        onMade={(key) => {
          close();
          setMade(key);
          void refreshStorage(org);
        }}
      />
      <SecretDialog
        made={made}
        onClose={() => {
          setMade(undefined);
        }}
      />
      <Confirm
        open={doomed !== undefined}
        title="Delete this access key?"
        action="Delete the access key"
        danger
        onClose={close}
        onConfirm={async () => {
          if (doomed !== undefined) await api.storage.accessKeys.delete(doomed.id, { organization: org });
          await refreshStorage(org);
        }}
      >
        Clients that use <b className="text-ink">{doomed?.name ?? doomed?.id}</b> are refused at once. Links that it has
        signed end as well.
      </Confirm>
    </StorageFrame>
  );
}

interface KeysProps extends Params {
  readonly rows: readonly StorageAccessKey[];
  readonly mayWrite: boolean;
  readonly onDelete: (key: StorageAccessKey) => void;
  readonly more: ReactNode;
}

function Keys({ org, rows, mayWrite, onDelete, more }: KeysProps): ReactNode {
  const names = new Map(rowsOf(useInfiniteQuery(bucketsQuery(org)).data).map(({ id, name }) => [id, name]));
  return (
    <Table
      label="Access keys"
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
      columns={[
        {
          title: 'Name',
          cell: ({ id, name, project_id: project }) => (
            <div className="max-w-40 sm:max-w-64">
              <span className="block truncate font-medium">{name}</span>
              <code className="text-muted block truncate font-mono text-xs">{id}</code>
              {project !== null && <span className="text-muted block text-xs">of an attachment</span>}
            </div>
          ),
        },
        { title: 'Access', cell: ({ access }) => KEY_ACCESSES[access] },
        {
          title: 'Buckets',
          wideOnly: true,
          cell: ({ bucket_ids: ids }) => (
            <span className="text-muted block max-w-48 truncate">
              {ids === null ? 'All' : ids.map((id) => names.get(id) ?? id).join(', ')}
            </span>
          ),
        },
        {
          title: 'Last used',
          wideOnly: true,
          cell: ({ last_used_at: at }) => <When at={at} />,
        },
        {
          title: 'Ends',
          wideOnly: true,
          cell: ({ expires_at: at }) => <When at={at} />,
        },
        {
          title: 'Actions',
          actions: true,
          // The key pair of an attachment ends with it.
          cell: (key) =>
            mayWrite &&
            key.project_id === null && (
              <Button
                look="quiet"
                onClick={() => {
                  onDelete(key);
                }}
              >
                Delete<span className="sr-only"> {key.name}</span>
              </Button>
            ),
        },
      ]}
    />
  );
}

interface NewKeyDialogProps extends Params {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onMade: (key: IssuedStorageAccessKey) => void;
}

function NewKeyDialog({ org, open, onClose, onMade }: NewKeyDialogProps): ReactNode {
  const buckets = rowsOf(useInfiniteQuery(bucketsQuery(org)).data);
  const [isNarrow, setIsNarrow] = useState(false);
  return (
    <Dialog open={open} title="New access key" onClose={onClose}>
      <Form
        label="New access key"
        submit="Create the access key"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async (values) => {
          const ids = buckets.map(({ id }) => id).filter((id) => values[`bucket_${id}`] !== undefined);
          if (isNarrow && ids.length === 0) throw new Error('Choose at least one bucket.');
          const days = values['ends'] ?? '';
          onMade(
            await api.storage.accessKeys.create(
              {
                name: values['name'] ?? '',
                access: (values['access'] ?? 'write') as StorageAccessKey['access'],
                ...(isNarrow && { bucket_ids: ids }),
                ...(days !== '' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
              },
              { organization: org },
            ),
          );
        }}
      >
        <Field label="Name" name="name" required autoFocus maxLength={100} placeholder="Backups of the office" />
        <Choice label="Access" name="access" defaultValue="write">
          {Object.entries(KEY_ACCESSES).map(([access, word]) => (
            <option key={access} value={access}>
              {word}
            </option>
          ))}
        </Choice>
        <Choice
          label="Buckets"
          name="buckets"
          value={isNarrow ? 'some' : 'all'}
          onChange={({ target }) => {
            setIsNarrow(target.value === 'some');
          }}
        >
          <option value="all">All, those that come later too</option>
          <option value="some">Some</option>
        </Choice>
        {isNarrow && (
          <div role="group" aria-label="Buckets" className="border-line max-h-40 overflow-y-auto rounded-md border p-3">
            {buckets.length === 0 && <p className="text-muted">There are no buckets yet.</p>}
            {buckets.map(({ id, name }) => (
              <label key={id} className="flex min-h-6 items-center gap-2">
                <input type="checkbox" name={`bucket_${id}`} className="size-4 accent-[var(--accent)]" />
                {name}
              </label>
            ))}
          </div>
        )}
        <EndsChoice name="ends" defaultValue="" />
      </Form>
    </Dialog>
  );
}

interface SecretDialogProps {
  /** The dialog is open while there is one. */
  readonly made: IssuedStorageAccessKey | undefined;
  readonly onClose: () => void;
}

/** The secret is shown once, and gone with the dialog. */
function SecretDialog({ made, onClose }: SecretDialogProps): ReactNode {
  return (
    <Dialog open={made !== undefined} title="Your new access key" onClose={onClose} wide>
      <p className="mb-3">Copy the secret now: it is not shown again, and nobody can look it up.</p>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <CopyLine text={made?.id ?? ''} label="The access key ID" />
        <CopyLine text={made?.secret ?? ''} label="The secret access key" />
        <CodeBlock
          label="For AWS clients"
          text={`AWS_ACCESS_KEY_ID=${made?.id ?? ''}\nAWS_SECRET_ACCESS_KEY=${made?.secret ?? ''}\nAWS_REGION=us-east-1`}
          wrap
        />
      </div>
      <div className="mt-5 flex justify-end">
        <Button look="primary" onClick={onClose}>
          I have it
        </Button>
      </div>
    </Dialog>
  );
}
