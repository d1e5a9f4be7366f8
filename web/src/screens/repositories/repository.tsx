import type { Repository } from '@service/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { projectsQuery } from '../../data/projects';
import { branchesQuery, repositoriesQuery, repositoryQuery } from '../../data/repositories';
import { pathTo } from '../../paths';
import { bytesInWords } from '../../ui/amounts';
import { Button, ButtonLink } from '../../ui/button';
import { CodeBlock } from '../../ui/code-block';
import { Confirm } from '../../ui/confirm';
import { Copy, CopyLine } from '../../ui/copy';
import { DeployState } from '../../ui/deploy-state';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Page, Section } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';
import { Ago } from '../../ui/time';

interface Params {
  readonly org: string;
  readonly repository: string;
}

export function prepare({ org, repository }: Params): void {
  queries.query(repositoryQuery(org, repository)).catch(ignore);
  queries.infiniteQuery(branchesQuery(org, repository)).catch(ignore);
}

export function Screen({ org, repository: id }: Params): ReactNode {
  const [, go] = useLocation();
  const repository = useQuery(repositoryQuery(org, id));
  const mayWrite = useMay(org, 'repositories:write');
  const [isDeleting, setIsDeleting] = useState(false);
  const { data } = repository;
  return (
    <Page
      title={data?.name ?? 'Repository'}
      above={[['Repositories', pathTo('repositories', { org })]]}
      actions={
        data !== undefined && (
          <>
            {mayWrite && (
              <Button
                look="danger"
                onClick={() => {
                  setIsDeleting(true);
                }}
              >
                Delete
              </Button>
            )}
            <ButtonLink look="primary" href={`${pathTo('newProject', { org })}?repository=${id}`}>
              <Icon name="plus" size={14} />
              New project
            </ButtonLink>
          </>
        )
      }
    >
      <Loaded query={repository}>
        {(found) => (
          <>
            <Facts repository={found} />
            <Commands org={org} repository={found} />
            <Branches org={org} repository={id} />
            <Projects org={org} url={found.repo_url} />
            <Confirm
              open={isDeleting}
              title="Delete this repository?"
              action="Delete the repository"
              danger
              typed={found.name}
              onClose={() => {
                setIsDeleting(false);
              }}
              onConfirm={async () => {
                await api.repositories.delete(id, { organization: org });
                await queries.invalidateQueries({ queryKey: repositoriesQuery(org).queryKey });
                go(pathTo('repositories', { org }));
              }}
            >
              {found.provider === 'github'
                ? 'It leaves this list, and stays at GitHub.'
                : 'All its branches and commits are lost for good. Projects that are linked to it keep what is live.'}
            </Confirm>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ repository }: { readonly repository: Repository }): ReactNode {
  const { provider, template, size_bytes: size, default_branch: branch, created_at: at, last_push: push } = repository;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Default branch', <span className="font-mono text-xs">{branch}</span>],
    ['Size', provider === 'github' ? 'At GitHub' : size === undefined ? '–' : bytesInWords(size)],
    ['Template', template ?? 'None'],
    [
      'Last push',
      push === undefined ? (
        'None yet'
      ) : (
        <>
          <Ago at={push.at} /> on <span className="font-mono text-xs">{push.branch}</span>
        </>
      ),
    ],
    ['Created', <Ago at={at} />],
  ];
  return (
    <dl className="card mb-8 grid grid-cols-2 gap-x-6 gap-y-3 p-4 lg:grid-cols-5">
      {facts.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-muted text-xs">{name}</dt>
          <dd className="mt-0.5 truncate">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface CommandsProps {
  readonly org: string;
  readonly repository: Repository;
}

function Commands({ org, repository }: CommandsProps): ReactNode {
  const { repo_url: url, default_branch: branch, provider, template } = repository;
  const push = `git remote add origin ${url}\ngit push -u origin HEAD:${branch}`;
  return (
    <>
      <Section
        title="Clone"
        hint={
          provider === 'github' ? (
            'Git uses your credentials of GitHub.'
          ) : (
            <>
              Git asks for a password: use an{' '}
              <ScreenLink to="keys" params={{ org }} className="link">
                API key
              </ScreenLink>
              . Any user name works.
            </>
          )
        }
      >
        <CopyLine text={`git clone ${url}`} label="The command that clones the repository" />
      </Section>
      {template === undefined && (
        <Section title="Push code that you have" hint="In its directory, which is a git repository with a commit.">
          <CodeBlock text={push} label="The commands that push" />
        </Section>
      )}
    </>
  );
}

/** As the last push has left them, the default one first. */
function Branches({ org, repository }: { readonly org: string; readonly repository: string }): ReactNode {
  const branches = useInfiniteQuery(branchesQuery(org, repository));
  const rows = [...rowsOf(branches.data)].sort((one, other) => Number(other.is_default) - Number(one.is_default));
  if (rows.length === 0) return null;
  return (
    <Section title="Branches">
      <Table
        label="All branches"
        rows={rows}
        keyOf={({ name }) => name}
        more={<More query={branches} />}
        columns={[
          {
            title: 'Branch',
            cell: ({ name, is_default: isDefault }) => (
              <span className="flex max-w-40 items-center gap-2 sm:max-w-64">
                <span className="truncate font-mono text-xs">{name}</span>
                {isDefault && <State tone="accent">Default</State>}
              </span>
            ),
          },
          {
            title: 'Commit',
            cell: ({ commit }) => (
              <div className="max-w-36 sm:max-w-72">
                <span className="block truncate">{commit.message ?? '–'}</span>
                <span className="text-muted block font-mono text-xs">{commit.sha.slice(0, 7)}</span>
              </div>
            ),
          },
          {
            title: 'Pushed',
            wideOnly: true,
            cell: ({ pushed_at: at }) => (
              <span className="text-muted whitespace-nowrap">{at === undefined ? '–' : <Ago at={at} />}</span>
            ),
          },
          {
            title: 'Actions',
            actions: true,
            cell: ({ name, commit }) => <Copy text={commit.sha} label={`Copy the hash of the commit of ${name}`} />,
          },
        ]}
      />
    </Section>
  );
}

/** Of the projects that have been fetched; each push to the repository deploys them. */
function Projects({ org, url }: { readonly org: string; readonly url: string }): ReactNode {
  const projects = useInfiniteQuery(projectsQuery(org));
  const linked = rowsOf(projects.data).filter(({ repo_url: each }) => each === url);
  if (linked.length === 0) return null;
  return (
    <Section title="Projects" hint="A push deploys them.">
      <ul className="card">
        {linked.map(({ id, name, last_deploy: deploy }) => (
          <li key={id} className="border-line flex items-center justify-between gap-3 border-b px-4 py-3 last:border-0">
            <ScreenLink to="project" params={{ org, project: id }} className="truncate font-medium hover:underline">
              {name}
            </ScreenLink>
            {deploy !== undefined && <DeployState deploy={deploy} />}
          </li>
        ))}
      </ul>
    </Section>
  );
}
