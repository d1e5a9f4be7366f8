import type { NewRepository, Repository } from '@service/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { githubQuery, repositoriesQuery, repositoryQuery, templatesQuery } from '../../data/repositories';
import { pathTo } from '../../paths';
import { bytesInWords } from '../../ui/amounts';
import { AddButton } from '../../ui/add-button';
import { Button } from '../../ui/button';
import { Copy } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Choice, Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Page } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { Table } from '../../ui/table';
import { Ago, When } from '../../ui/time';

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.infiniteQuery(repositoriesQuery(org)).catch(ignore);
  queries.query(templatesQuery(org)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const repositories = useInfiniteQuery(repositoriesQuery(org));
  const mayWrite = useMay(org, 'repositories:write');
  const [open, setOpen] = useState(false);
  const add = mayWrite && (
    <AddButton
      onClick={() => {
        setOpen(true);
      }}
    >
      New repository
    </AddButton>
  );
  return (
    <Page title="Repositories" actions={add}>
      <Loaded query={repositories}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty icon="repositories" title="No repositories yet" action={add}>
              A repository of this service deploys its project on every push. Begin with a template, or push your own
              code.
            </Empty>
          ) : (
            <Repositories org={org} rows={rowsOf(data)} more={<More query={repositories} />} />
          )
        }
      </Loaded>
      <NewRepositoryDialog
        org={org}
        open={open}
        onClose={() => {
          setOpen(false);
        }}
      />
    </Page>
  );
}

interface RepositoriesProps {
  readonly org: string;
  readonly rows: readonly Repository[];
  readonly more: ReactNode;
}

function Repositories({ org, rows, more }: RepositoriesProps): ReactNode {
  return (
    <Table
      label="Repositories"
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
      columns={[
        {
          title: 'Name',
          cell: ({ id, name, repo_url: url }) => (
            <div className="max-w-56 sm:max-w-80">
              <ScreenLink
                to="repository"
                params={{ org, repository: id }}
                className="block truncate font-medium hover:underline"
              >
                {name}
              </ScreenLink>
              <span className="text-muted block truncate font-mono text-xs">{url.replace(/^https?:\/\//, '')}</span>
            </div>
          ),
        },
        {
          title: 'Last push',
          wideOnly: true,
          cell: ({ last_push: push }) =>
            push === undefined ? <span className="text-muted">–</span> : <LastPush {...push} />,
        },
        {
          title: 'Size',
          wideOnly: true,
          cell: ({ size_bytes: size, provider }) => (
            <span className="whitespace-nowrap">
              {provider === 'github' ? 'At GitHub' : size === undefined ? '–' : bytesInWords(size)}
            </span>
          ),
        },
        {
          title: 'Created',
          wideOnly: true,
          cell: ({ created_at: at }) => <When at={at} />,
        },
        {
          title: 'Actions',
          actions: true,
          cell: ({ name, repo_url: url }) => (
            <Copy text={`git clone ${url}`} label={`Copy the command that clones ${name}`} />
          ),
        },
      ]}
    />
  );
}

function LastPush({ at, branch, commit }: NonNullable<Repository['last_push']>): ReactNode {
  return (
    <div className="max-w-64">
      <span className="block truncate">{commit.message ?? commit.sha.slice(0, 7)}</span>
      <span className="text-muted block truncate text-xs">
        <Ago at={at} /> on <span className="font-mono">{branch}</span>
      </span>
    </div>
  );
}

interface NewRepositoryDialogProps {
  readonly org: string;
  readonly open: boolean;
  readonly onClose: () => void;
}

const HERE = '';

function NewRepositoryDialog({ org, open, onClose }: NewRepositoryDialogProps): ReactNode {
  const [, go] = useLocation();
  const templates = useQuery({ ...templatesQuery(org), enabled: open });
  const accounts = useQuery({ ...githubQuery(org), enabled: open }).data?.installations ?? [];
  const [account, setAccount] = useState(HERE);
  return (
    <Dialog open={open} title="New repository" onClose={onClose}>
      <Form
        label="New repository"
        submit="Create the repository"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ name = '', template = '' }) => {
          const made = await api.repositories.create(
            {
              name,
              ...(template === '' ? {} : { template: template as NonNullable<NewRepository['template']> }),
              ...(account === HERE ? {} : { provider: 'github', account }),
            },
            { organization: org },
          );
          queries.setQueryData(repositoryQuery(org, made.id).queryKey, made);
          void queries.invalidateQueries({ queryKey: repositoriesQuery(org).queryKey });
          onClose();
          go(pathTo('repository', { org, repository: made.id }));
        }}
      >
        <Field label="Name" name="name" required maxLength={100} autoFocus placeholder="shop" />
        {accounts.length > 0 && (
          <Choice
            label="Where"
            name="account"
            value={account}
            onChange={(event) => {
              setAccount(event.target.value);
            }}
            hint={account === HERE ? undefined : 'It is private at GitHub, and begins with a template.'}
          >
            <option value={HERE}>Here</option>
            {accounts.map(({ id, account: each }) => (
              <option key={id} value={each}>
                {each} at GitHub
              </option>
            ))}
          </Choice>
        )}
        <Loaded query={templates} lines={1}>
          {(found) => (
            <Choice label="Begin with" name="template" hint="A template is the first commit of the repository.">
              {account === HERE && <option value="">Nothing, I push my own code</option>}
              {found.map(({ id, name, description }) => (
                <option key={id} value={id} title={description}>
                  {name}
                </option>
              ))}
            </Choice>
          )}
        </Loaded>
      </Form>
    </Dialog>
  );
}
