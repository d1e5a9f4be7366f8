import type { Database } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { bytesOf } from '../../chart/units';
import { databaseQuery, databasesQuery, refreshDatabases } from '../../data/databases';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { DatabaseFrame, type DatabaseParams } from '../../databases/database-frame';
import { DatabaseState } from '../../databases/database-state';
import { familyOf, treeOf } from '../../databases/database-words';
import { SwapDialog, SwapWithOther } from '../../databases/swap';
import { pathTo } from '../../paths';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Field, Form } from '../../ui/form';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { ScreenLink } from '../../ui/screen-link';
import { Table } from '../../ui/table';
import { Ago } from '../../ui/time';

export function prepare({ org, database }: DatabaseParams): void {
  queries.query(databaseQuery(org, database)).catch(ignore);
  queries.infiniteQuery(databasesQuery(org)).catch(ignore);
}

export function Screen({ org, database: id }: DatabaseParams): ReactNode {
  const mayWrite = useMay(org, 'databases:write');
  const mayAdmin = useMay(org, 'databases:admin');
  const [isAdding, setIsAdding] = useState(false);
  const add = (database: Database): ReactNode =>
    mayWrite &&
    database.can.branch && (
      <Button
        look="primary"
        onClick={() => {
          setIsAdding(true);
        }}
      >
        <Icon name="branch" size={14} />
        New branch
      </Button>
    );
  return (
    <DatabaseFrame org={org} database={id} open="databaseBranches" needsReady actions={add}>
      {(database) => (
        <>
          {!database.can.branch && (
            <p className="bg-warn-soft mb-4 rounded-md p-3">This installation cannot branch databases.</p>
          )}
          <Family org={org} database={database} mayAdmin={mayAdmin} action={add(database)} />
          <NewBranchDialog
            org={org}
            database={database}
            open={isAdding}
            onClose={() => {
              setIsAdding(false);
            }}
          />
        </>
      )}
    </DatabaseFrame>
  );
}

interface FamilyProps {
  readonly org: string;
  readonly database: Database;
  readonly mayAdmin: boolean;
  readonly action: ReactNode;
}

/** The whole tree that the database is in, with the database itself marked. */
function Family({ org, database, mayAdmin, action }: FamilyProps): ReactNode {
  const all = useInfiniteQuery(databasesQuery(org));
  const [swapped, setSwapped] = useState<Database>();
  return (
    <Loaded query={all}>
      {(data) => {
        const family = familyOf(rowsOf(data), database.id);
        const others = rowsOf(data).filter((each) => each.state === 'ready' && !family.includes(each));
        const swapWithOther = mayAdmin && others.length > 0 && (
          <SwapWithOther org={org} database={database} others={others} />
        );
        if (family.length <= 1)
          return (
            <>
              <Empty icon="branch" title="No branches yet" action={action}>
                A branch is a copy that begins with the data of this moment. Try a migration in it: it never changes the
                database that it comes from.
              </Empty>
              {swapWithOther}
            </>
          );
        return (
          <>
            <Table
              label="Branches"
              rows={treeOf(family)}
              keyOf={({ database: each }) => each.id}
              columns={[
                {
                  title: 'Name',
                  cell: ({ database: each, depth }) => (
                    <span
                      className="flex max-w-40 items-center gap-1.5 sm:max-w-80"
                      style={{ paddingLeft: `${Math.min(depth, 5)}rem` }}
                    >
                      {depth > 0 && (
                        <span className="text-muted shrink-0">
                          <Icon name="branch" size={14} />
                          <span className="sr-only">Branch: </span>
                        </span>
                      )}
                      {each.id === database.id ? (
                        <b className="truncate">
                          {each.name}
                          <span className="text-muted font-normal"> (this one)</span>
                        </b>
                      ) : (
                        <ScreenLink
                          to="databaseBranches"
                          params={{ org, database: each.id }}
                          className="truncate font-medium hover:underline"
                        >
                          {each.name}
                        </ScreenLink>
                      )}
                    </span>
                  ),
                },
                { title: 'State', cell: ({ database: each }) => <DatabaseState database={each} /> },
                {
                  title: 'Size',
                  numeric: true,
                  wideOnly: true,
                  cell: ({ database: each }) => bytesOf(each.size_bytes),
                },
                {
                  title: 'Created',
                  wideOnly: true,
                  cell: ({ database: each }) => (
                    <span className="text-muted whitespace-nowrap">
                      <Ago at={each.created_at} />
                    </span>
                  ),
                },
                {
                  title: 'Actions',
                  actions: true,
                  cell: ({ database: each }) =>
                    mayAdmin &&
                    each.id !== database.id &&
                    each.state === 'ready' && (
                      <Button
                        look="quiet"
                        onClick={() => {
                          setSwapped(each);
                        }}
                      >
                        Swap<span className="sr-only"> with {each.name}</span>
                      </Button>
                    ),
                },
              ]}
            />
            {swapWithOther}
            <SwapDialog
              org={org}
              database={database}
              other={swapped}
              onClose={() => {
                setSwapped(undefined);
              }}
            />
          </>
        );
      }}
    </Loaded>
  );
}

interface NewBranchDialogProps {
  readonly org: string;
  readonly database: Database;
  readonly open: boolean;
  readonly onClose: () => void;
}

function NewBranchDialog({ org, database, open, onClose }: NewBranchDialogProps): ReactNode {
  const [, go] = useLocation();
  return (
    <Dialog open={open} title={`New branch of ${database.name}`} onClose={onClose}>
      <Form
        label="New branch"
        submit="Create the branch"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ name = '' }) => {
          const made = await api.databases.branches.create(database.id, { name }, { organization: org });
          queries.setQueryData(databaseQuery(org, made.id).queryKey, made);
          void refreshDatabases(org);
          go(pathTo('database', { org, database: made.id }));
        }}
      >
        <Field
          label="Name"
          name="name"
          required
          autoFocus
          maxLength={100}
          placeholder={`${database.name}-try`}
          hint="It counts as a database of your plan, and its size is billed like that of any other."
        />
      </Form>
    </Dialog>
  );
}
