import type { Database } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { databaseQuery } from '../data/databases';
import { pathTo, type PathName } from '../paths';
import { Copy } from '../ui/copy';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { ScreenLink } from '../ui/screen-link';
import { type Tab, Tabs } from '../ui/tabs';
import { DatabaseState } from './database-state';
import { STATES } from './database-words';

export interface DatabaseParams {
  readonly org: string;
  readonly database: string;
}

type DatabaseScreen = Exclude<Extract<PathName, `database${string}`>, 'databases'>;

const TABS: readonly Tab<DatabaseScreen>[] = [
  ['Overview', 'database'],
  ['Tables', 'databaseTables'],
  ['Query', 'databaseQuery'],
  ['Credentials', 'databaseCredentials'],
  ['Backups', 'databaseBackups'],
  ['Branches', 'databaseBranches'],
  ['Stats', 'databaseStats'],
];

interface DatabaseFrameProps extends DatabaseParams {
  readonly open: DatabaseScreen;
  readonly actions?: (database: Database) => ReactNode;
  /** True for what can be shown only while the database can be asked. */
  readonly needsReady?: boolean;
  readonly children: (database: Database) => ReactNode;
}

/** What stands around every screen of one database. */
export function DatabaseFrame({
  org,
  database: id,
  open,
  actions,
  needsReady = false,
  children,
}: DatabaseFrameProps): ReactNode {
  const query = useQuery(databaseQuery(org, id));
  const { data } = query;
  const parent = useQuery({ ...databaseQuery(org, data?.parent_id ?? ''), enabled: data?.parent_id != null }).data;
  const tab = TABS.find(([, to]) => to === open)![0];
  useEffect(() => {
    if (data !== undefined) document.title = `${tab} · ${data.name} · Service platform`;
  }, [data, tab]);
  const isReady = data?.state === 'ready';
  return (
    <Page
      title={data?.name ?? 'Database'}
      above={[['Databases', pathTo('databases', { org })]]}
      {...(data !== undefined && { state: <DatabaseState database={data} /> })}
      {...(data !== undefined && (isReady || !needsReady) && { actions: actions?.(data) })}
    >
      <Loaded query={query}>
        {(found) => (
          <>
            <p className="text-muted -mt-4 mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
              <span className="inline-flex min-w-0 items-center gap-1">
                <code className="truncate font-mono text-xs">{found.database}</code>
                <Copy text={found.database} label="Copy the name for clients" />
              </span>
              {found.parent_id !== null && (
                <span>
                  branched from{' '}
                  <ScreenLink to="database" params={{ org, database: found.parent_id }} className="link">
                    {parent?.name ?? 'another database'}
                  </ScreenLink>
                </span>
              )}
            </p>
            <Tabs label="Database" tabs={TABS} open={open} params={{ org, database: id }} />
            <ReadOnly database={found} />
            {needsReady && !isReady ? <NotReady database={found} /> : children(found)}
          </>
        )}
      </Loaded>
    </Page>
  );
}

const READ_ONLY: Readonly<Record<NonNullable<Database['read_only_because']>, string>> = {
  quota: 'It is larger than your plan allows. Delete data or upgrade; nothing is deleted for you.',
  credits: 'The credits of your organization are used up. Reading goes on, and writing when there are credits again.',
  archive: 'Its changes cannot be copied to the backups at the moment. Nothing is lost, and writing goes on by itself.',
  disk: 'It takes too much of the disk with temporary files and its log. End large statements; nothing is deleted.',
};

function ReadOnly({ database }: { readonly database: Database }): ReactNode {
  const because = database.read_only_because;
  if (because === null) return null;
  return (
    <div role="status" className="bg-warn-soft mb-6 rounded-md p-3">
      <p className="text-warn font-medium">This database is read only</p>
      <p className="mt-1">
        {READ_ONLY[because]}{' '}
        <a className="link" href="/pricing" target="_blank" rel="noreferrer">
          See plans and prices
        </a>
      </p>
    </div>
  );
}

function NotReady({ database }: { readonly database: Database }): ReactNode {
  const word = STATES[database.state][1];
  return (
    <Empty icon="clock" title={word}>
      {database.error !== null
        ? database.error.message
        : database.state === 'deleted'
          ? 'Take it back in the overview to use it again.'
          : 'This page follows by itself.'}
    </Empty>
  );
}
