import type { Database, IssuedDatabaseCredential } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { bytesOf } from '../../chart/units';
import { databaseQuery, databasesQuery, refreshDatabases } from '../../data/databases';
import { useMay } from '../../data/me';
import { useProjectNames } from '../../data/names';
import { DatabaseFrame, type DatabaseParams } from '../../databases/database-frame';
import { ACTIVITIES } from '../../databases/database-words';
import { pathTo } from '../../paths';
import { ProjectChoice } from '../../projects/project-choice';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { CopyLine } from '../../ui/copy';
import { ErrorNote } from '../../ui/error-note';
import { Fact } from '../../ui/fact';
import { Field, Form } from '../../ui/form';
import { MeterBar } from '../../ui/meter-bar';
import { Section } from '../../ui/page';
import { Skeleton } from '../../ui/skeleton';
import { Ago } from '../../ui/time';

// The page is there before what is below it, and before its dialogs.
const DatabaseAttachments = lazy(async () => ({
  default: (await import('../../databases/database-attachments')).DatabaseAttachments,
}));
const CredentialDialog = lazy(async () => ({
  default: (await import('../../databases/credential-form')).CredentialDialog,
}));
const UrlDialog = lazy(async () => ({ default: (await import('../../databases/url-dialog')).UrlDialog }));

export function prepare({ org, database }: DatabaseParams): void {
  queries.query(databaseQuery(org, database)).catch(ignore);
}

interface PartProps {
  readonly org: string;
  readonly database: Database;
}

export function Screen({ org, database: id }: DatabaseParams): ReactNode {
  const mayWrite = useMay(org, 'databases:write');
  const mayDelete = useMay(org, 'databases:admin');
  return (
    <DatabaseFrame org={org} database={id} open="database">
      {(database) => {
        if (database.state === 'deleted' || database.state === 'deleting')
          return <Deleted org={org} database={database} mayDelete={mayDelete} />;
        return (
          <>
            <Problem database={database} />
            <Facts org={org} database={database} />
            {database.state === 'ready' && (
              <>
                <Connect org={org} database={database} mayWrite={mayWrite} />
                <Suspense fallback={<Skeleton lines={3} />}>
                  <DatabaseAttachments org={org} database={database} mayWrite={mayWrite} />
                </Suspense>
              </>
            )}
            {mayWrite && <Settings org={org} database={database} />}
            {mayDelete && <Delete org={org} database={database} />}
          </>
        );
      }}
    </DatabaseFrame>
  );
}

function Problem({ database }: Pick<PartProps, 'database'>): ReactNode {
  if (database.state === 'creating' || database.state === 'restoring')
    return (
      <div className="card mb-8 p-4" role="status">
        <p className="mb-2 font-medium">
          {database.state === 'creating' ? 'It is being created, which takes seconds.' : 'It is being restored.'}
        </p>
        <Skeleton lines={2} />
      </div>
    );
  if (database.error === null) return null;
  return (
    <div className="mb-8">
      <ErrorNote error={new Error(database.error.message)} />
    </div>
  );
}

function Facts({ org, database }: PartProps): ReactNode {
  const projects = useProjectNames(org);
  const { size_bytes: size, quota_bytes: quota, connections, activity, last_active_at: at, project_id: of } = database;
  return (
    <div className="card mb-8 grid gap-4 p-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <MeterBar label="Size" used={size} limit={quota}>
          {size === 0 ? 'Nothing stored yet' : bytesOf(size)} of {bytesOf(quota)}
        </MeterBar>
        <MeterBar label="Connections" used={connections.open} limit={connections.limit}>
          {connections.open} of {connections.limit}
        </MeterBar>
      </div>
      <dl className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        <Fact name="Activity">
          <span>
            {ACTIVITIES[activity][0]}
            <span className="text-muted block text-sm">{ACTIVITIES[activity][1]}</span>
          </span>
        </Fact>
        <Fact name="Last active">{at === null ? 'Never' : <Ago at={at} />}</Fact>
        <Fact name="Project">{of === null ? 'None' : (projects.get(of) ?? of)}</Fact>
        <Fact name="Created">
          <Ago at={database.created_at} />
        </Fact>
      </dl>
    </div>
  );
}

function Connect({ org, database, mayWrite }: PartProps & { readonly mayWrite: boolean }): ReactNode {
  const [isAsking, setIsAsking] = useState(false);
  const [made, setMade] = useState<IssuedDatabaseCredential>();
  const { host, port, database: name } = database;
  return (
    <Section
      title="Connect"
      hint="Any PostgreSQL client works. Apps of attached projects need no URL: they get DATABASE_URL by themselves."
    >
      <div className="grid grid-cols-[minmax(0,1fr)] justify-items-start gap-3">
        <CopyLine
          text={`postgres://<user>:<password>@${host}:${port}/${name}?sslmode=require`}
          label="The form of the connection URL"
        />
        {mayWrite && (
          <Button
            look="primary"
            onClick={() => {
              setIsAsking(true);
            }}
          >
            Create a connection URL
          </Button>
        )}
      </div>
      <Suspense fallback={null}>
        <CredentialDialog
          org={org}
          database={database.id}
          open={isAsking}
          onClose={() => {
            setIsAsking(false);
          }}
          onMade={(credential) => {
            setIsAsking(false);
            setMade(credential);
          }}
        />
        <UrlDialog
          made={made}
          onClose={() => {
            setMade(undefined);
          }}
        />
      </Suspense>
    </Section>
  );
}

function Settings({ org, database }: PartProps): ReactNode {
  return (
    <Section title="Name and project">
      <div className="card p-5">
        <Form
          label="Name and project"
          submit="Save"
          onSubmit={async ({ name = '', project_id: project = '' }) => {
            const changed = await api.databases.update(
              database.id,
              { name, project_id: project === '' ? null : project },
              { organization: org },
            );
            queries.setQueryData(databaseQuery(org, database.id).queryKey, changed);
            await refreshDatabases(org);
          }}
        >
          <Field
            label="Name"
            name="name"
            required
            maxLength={100}
            defaultValue={database.name}
            hint="The name for clients stays as it is."
          />
          <ProjectChoice org={org} current={database.project_id} />
        </Form>
      </div>
    </Section>
  );
}

function Delete({ org, database }: PartProps): ReactNode {
  const [, go] = useLocation();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Section title="Delete" hint="It stops at once, and can be taken back for 7 days with all its data.">
      <Button
        look="danger"
        onClick={() => {
          setIsAsking(true);
        }}
      >
        Delete the database
      </Button>
      <Confirm
        open={isAsking}
        title={`Delete ${database.name}?`}
        action="Delete the database"
        danger
        typed={database.name}
        onClose={() => {
          setIsAsking(false);
        }}
        onConfirm={async () => {
          await api.databases.delete(database.id, { organization: org });
          go(pathTo('databases', { org }));
          await queries.invalidateQueries({ queryKey: databasesQuery(org).queryKey });
          await refreshDatabases(org);
        }}
      >
        Its connections end, and programs that use it fail. After 7 days its data and its backups are gone.
      </Confirm>
    </Section>
  );
}

function Deleted({ org, database, mayDelete }: PartProps & { readonly mayDelete: boolean }): ReactNode {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const [, go] = useLocation();
  const current = useQuery(databaseQuery(org, database.id)).data ?? database;
  const undelete = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      queries.setQueryData(
        databaseQuery(org, database.id).queryKey,
        await api.databases.undelete(database.id, { organization: org }),
      );
      await refreshDatabases(org);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  const { restorable_until: until } = current;
  return (
    <div className="card grid justify-items-start gap-3 p-5">
      <h2 className="text-lg font-semibold">This database was deleted</h2>
      <p className="text-muted">
        {until === null ? (
          'It cannot be taken back any more.'
        ) : (
          <>
            It can be taken back until <Until at={until} />.
          </>
        )}
      </p>
      {error !== undefined && <ErrorNote error={error} />}
      {mayDelete && until !== null && (
        <div className="flex flex-wrap gap-3">
          <Button look="primary" busy={busy} onClick={() => void undelete()}>
            Take it back
          </Button>
          <Button
            look="danger"
            onClick={() => {
              setIsAsking(true);
            }}
          >
            Remove it for good
          </Button>
        </div>
      )}
      <Confirm
        open={isAsking}
        title={`Remove ${database.name} for good?`}
        action="Remove it for good"
        danger
        typed={database.name}
        onClose={() => {
          setIsAsking(false);
        }}
        onConfirm={async () => {
          await api.databases.purge(database.id, { organization: org });
          go(pathTo('databases', { org }));
          await refreshDatabases(org);
        }}
      >
        Nothing brings its data and its backups back.
      </Confirm>
    </div>
  );
}

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

function Until({ at }: { readonly at: string }): ReactNode {
  return <time dateTime={at}>{DAY.format(new Date(at))}</time>;
}
