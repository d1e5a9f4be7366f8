import type { Database, DatabaseBackup } from '@service/client';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { bytesOf } from '../../chart/units';
import { backupsQuery, databaseQuery, refreshDatabases } from '../../data/databases';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { DatabaseFrame, type DatabaseParams } from '../../databases/database-frame';
import { MomentField } from '../../databases/moment-field';
import { clamped, spanOf } from '../../databases/moments';
import { pathTo } from '../../paths';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { ErrorNote } from '../../ui/error-note';
import { Field, Form } from '../../ui/form';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Section } from '../../ui/page';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';
import { Ago } from '../../ui/time';

const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

export function prepare({ org, database }: DatabaseParams): void {
  queries.query(databaseQuery(org, database)).catch(ignore);
  queries.infiniteQuery(backupsQuery(org, database)).catch(ignore);
}

export function Screen({ org, database: id }: DatabaseParams): ReactNode {
  const mayWrite = useMay(org, 'databases:write');
  const mayRestore = useMay(org, 'databases:admin');
  const backUp = useMutation({
    mutationFn: () => api.databases.backups.create(id, { organization: org }),
    onSuccess: () => refreshDatabases(org),
  });
  const action = (database: Database): ReactNode =>
    mayWrite &&
    database.can.restore && (
      <Button
        busy={backUp.isPending}
        onClick={() => {
          backUp.mutate();
        }}
      >
        Back up now
      </Button>
    );
  return (
    <DatabaseFrame org={org} database={id} open="databaseBackups" needsReady actions={action}>
      {(database) => (
        <>
          {backUp.error !== null && (
            <div className="mb-4">
              <ErrorNote error={backUp.error} />
            </div>
          )}
          {database.can.restore ? (
            <>
              <Restore org={org} database={database} mayRestore={mayRestore} />
              <Backups org={org} database={database} />
            </>
          ) : (
            <p className="bg-warn-soft rounded-md p-3">
              This installation keeps databases on a server of its operator, who backs them up.
            </p>
          )}
        </>
      )}
    </DatabaseFrame>
  );
}

interface PartProps {
  readonly org: string;
  readonly database: Database;
}

function Restore({ org, database, mayRestore }: PartProps & { readonly mayRestore: boolean }): ReactNode {
  const span = spanOf(database.restorable);
  const [chosen, setChosen] = useState<number>();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Section
      title="Restore to a moment"
      hint="The data of a moment comes as a new database. This one stays as it is, until you swap the two."
    >
      {span === undefined ? (
        <p className="text-muted">
          The first backup is not there yet. It is made within a day, or when you ask for one.
        </p>
      ) : (
        <div className="card grid gap-4 p-5">
          <MomentField span={span} at={clamped(chosen ?? span.until, span)} onChange={setChosen} />
          {mayRestore ? (
            <div className="flex justify-end">
              <Button
                look="primary"
                onClick={() => {
                  setIsAsking(true);
                }}
              >
                <Icon name="undo" size={14} />
                Restore this moment
              </Button>
            </div>
          ) : (
            <p className="text-muted">Your role does not allow restoring.</p>
          )}
          <RestoreDialog
            org={org}
            database={database}
            at={clamped(chosen ?? span.until, span)}
            open={isAsking}
            onClose={() => {
              setIsAsking(false);
            }}
          />
        </div>
      )}
    </Section>
  );
}

interface RestoreDialogProps extends PartProps {
  readonly at: number;
  readonly open: boolean;
  readonly onClose: () => void;
}

function RestoreDialog({ org, database, at, open, onClose }: RestoreDialogProps): ReactNode {
  const [, go] = useLocation();
  return (
    <Dialog open={open} title={`Restore ${database.name}?`} onClose={onClose}>
      <Form
        label="Restore"
        submit="Restore into a new database"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ name = '' }) => {
          const made = await api.databases.restore(
            database.id,
            { at: new Date(at).toISOString(), ...(name === '' ? {} : { name }) },
            { organization: org },
          );
          queries.setQueryData(databaseQuery(org, made.id).queryKey, made);
          void refreshDatabases(org);
          go(pathTo('database', { org, database: made.id }));
        }}
      >
        <p className="text-muted">
          The new database has the data of <b className="text-ink">{TIME.format(new Date(at))}</b>. Look at it first;
          then swap the two in the tab Branches, to let it take the place of this one.
        </p>
        <Field
          label="Name"
          name="name"
          required
          autoFocus
          maxLength={100}
          defaultValue={`${database.name.slice(0, 80)}-restored`}
          hint="It counts as a database of your plan."
        />
      </Form>
    </Dialog>
  );
}

const STATES: Readonly<Record<string, readonly ['good' | 'bad' | 'warn' | 'quiet', string]>> = {
  pending: ['warn', 'Running'],
  ready: ['good', 'Complete'],
  failed: ['bad', 'Failed'],
};

function Backups({ org, database }: PartProps): ReactNode {
  const backups = useInfiniteQuery(backupsQuery(org, database.id));
  return (
    <Section
      title="Backups"
      hint="One a night, and those that you ask for. Changes in between are kept as they happen."
    >
      <Loaded query={backups}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <p className="text-muted">None yet.</p>
          ) : (
            <Table<DatabaseBackup>
              label="Backups, the latest first"
              rows={rowsOf(data)}
              keyOf={({ id }) => id}
              more={<More query={backups} />}
              columns={[
                {
                  title: 'When',
                  cell: ({ created_at: at }) => (
                    <span className="whitespace-nowrap">
                      {TIME.format(new Date(at))}{' '}
                      <span className="text-muted text-sm max-sm:hidden">
                        (<Ago at={at} />)
                      </span>
                    </span>
                  ),
                },
                {
                  title: 'State',
                  cell: ({ state }) => {
                    const [tone, word] = STATES[state] ?? (['quiet', state] as const);
                    return (
                      <State tone={tone} moving={tone === 'warn'}>
                        {word}
                      </State>
                    );
                  },
                },
                {
                  title: 'Size',
                  numeric: true,
                  cell: ({ size_bytes: size, state }) => (
                    <span className="whitespace-nowrap">{state === 'ready' ? bytesOf(size) : '–'}</span>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
