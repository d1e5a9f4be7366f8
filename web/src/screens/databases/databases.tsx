import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { api, ignore, queries } from '../../api';
import { DatabaseState } from '../../databases/database-state';
import { treeOf, type Twig } from '../../databases/database-words';
import { bytesOf } from '../../chart/units';
import { databaseQuery, databasesQuery, deletedDatabasesQuery, refreshDatabases } from '../../data/databases';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { pathTo } from '../../paths';
import { ProjectChoice, ProjectName } from '../../projects/project-choice';
import { AddButton } from '../../ui/add-button';
import { Button } from '../../ui/button';
import { CopyLine } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Field, Form } from '../../ui/form';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Page } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { Table } from '../../ui/table';
import { When } from '../../ui/time';

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.infiniteQuery(databasesQuery(org)).catch(ignore);
}

/** Whether deleted ones are shown is in the address. */
export function Screen({ org }: Params): ReactNode {
  const [search, setSearch] = useSearchParams();
  const withDeleted = search.get('deleted') === 'shown';
  const all = useInfiniteQuery({ ...databasesQuery(org), enabled: !withDeleted });
  const deleted = useInfiniteQuery({ ...deletedDatabasesQuery(org), enabled: withDeleted });
  const found = withDeleted ? deleted : all;
  const mayWrite = useMay(org, 'databases:write');
  const [isAdding, setIsAdding] = useState(false);
  const close = (): void => {
    setIsAdding(false);
  };
  const add = mayWrite && (
    <AddButton
      onClick={() => {
        setIsAdding(true);
      }}
    >
      New database
    </AddButton>
  );
  return (
    <Page title="Databases" actions={add}>
      <Loaded query={found}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty icon="databases" title="No databases yet" action={add}>
              <p>
                A PostgreSQL database of your own: it sleeps while nobody asks, and can be restored to a moment of the
                past. Create one here, or in a terminal:
              </p>
              <div className="mt-4">
                <CopyLine text="service db create shop" label="The command that creates a database" />
              </div>
            </Empty>
          ) : (
            <Databases org={org} rows={treeOf(rowsOf(data))} more={<More query={found} />} />
          )
        }
      </Loaded>
      <label className="mt-4 flex min-h-6 w-fit items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-[var(--accent)]"
          checked={withDeleted}
          onChange={({ target }) => {
            setSearch(target.checked ? { deleted: 'shown' } : {}, { replace: true });
          }}
        />
        Show deleted databases, which can be taken back for 7 days
      </label>
      <NewDatabaseDialog org={org} open={isAdding} onClose={close} />
    </Page>
  );
}

interface DatabasesProps extends Params {
  readonly rows: readonly Twig[];
  readonly more: ReactNode;
}

function Databases({ org, rows, more }: DatabasesProps): ReactNode {
  return (
    <Table
      label="Databases"
      rows={rows}
      keyOf={({ database }) => database.id}
      more={more}
      columns={[
        {
          title: 'Name',
          cell: ({ database, depth }) => (
            <div className="flex max-w-36 items-start gap-1.5 sm:max-w-72">
              {depth > 0 && (
                <span className="text-muted mt-0.5 shrink-0" style={{ paddingLeft: `${Math.min(depth - 1, 4)}rem` }}>
                  <Icon name="branch" size={14} />
                  <span className="sr-only">Branch: </span>
                </span>
              )}
              <div className="min-w-0">
                <ScreenLink
                  to="database"
                  params={{ org, database: database.id }}
                  className="block truncate font-medium hover:underline"
                >
                  {database.name}
                </ScreenLink>
                <span className="text-muted block truncate font-mono text-xs">{database.database}</span>
              </div>
            </div>
          ),
        },
        { title: 'State', cell: ({ database }) => <DatabaseState database={database} /> },
        {
          title: 'Size',
          numeric: true,
          cell: ({ database: { size_bytes: size, quota_bytes: quota } }) => (
            <span className="whitespace-nowrap">
              {bytesOf(size)}
              <span className="text-muted max-sm:hidden"> of {bytesOf(quota)}</span>
            </span>
          ),
        },
        {
          title: 'Project',
          wideOnly: true,
          cell: ({ database: { project_id: project } }) => <ProjectName org={org} project={project} />,
        },
        {
          title: 'Last active',
          wideOnly: true,
          cell: ({ database: { last_active_at: at } }) => <When at={at} />,
        },
      ]}
    />
  );
}

interface NewDatabaseDialogProps extends Params {
  readonly open: boolean;
  readonly onClose: () => void;
}

function NewDatabaseDialog({ org, open, onClose }: NewDatabaseDialogProps): ReactNode {
  const [, go] = useLocation();
  return (
    <Dialog open={open} title="New database" onClose={onClose}>
      <Form
        label="New database"
        submit="Create the database"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ name = '', project_id: project = '' }) => {
          const made = await api.databases.create(
            { name, ...(project === '' ? {} : { project_id: project }) },
            { organization: org },
          );
          queries.setQueryData(databaseQuery(org, made.id).queryKey, made);
          void refreshDatabases(org);
          go(pathTo('database', { org, database: made.id }));
        }}
      >
        <Field label="Name" name="name" required autoFocus maxLength={100} placeholder="shop" />
        <ProjectChoice org={org} hint="Its usage is shown with this project. You can attach it to any project later." />
      </Form>
    </Dialog>
  );
}
