import type { Deploy, Project } from '@service/client';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { api, ignore, queries } from '../../api';
import { useMay, useOrganization } from '../../data/me';
import { rowsOf } from '../../data/paged';
import {
  type DeployFilter,
  deployQuery,
  deploysQuery,
  deployTypeIn,
  filteredDeploysQuery,
  projectQuery,
} from '../../data/projects';
import { useBranchNames } from '../../data/repositories';
import { pathTo } from '../../paths';
import { Button, ButtonLink } from '../../ui/button';
import { CopyLine } from '../../ui/copy';
import { DEPLOY_STATES, DeployState } from '../../ui/deploy-state';
import { Empty } from '../../ui/empty';
import { ErrorNote } from '../../ui/error-note';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { ScreenLink } from '../../ui/screen-link';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';
import { When } from '../../ui/time';
import { ProjectFrame, type ProjectParams } from './project-frame';
import { canRollBackTo, RollBackDialog } from './roll-back';

export function prepare({ project }: ProjectParams): void {
  queries.query(projectQuery(project)).catch(ignore);
  queries.infiniteQuery(deploysQuery(project)).catch(ignore);
}

export function Screen({ org, project: id }: ProjectParams): ReactNode {
  const [, go] = useLocation();
  const project = useQuery(projectQuery(id));
  const deploys = useInfiniteQuery(deploysQuery(id));
  const organization = useOrganization(org);
  const type = organization === undefined ? 'production' : deployTypeIn(organization);
  const mayDeploy = useMay(org, type === 'production' ? 'deploys:production' : 'deploys:write');
  const deploy = useMutation({
    mutationFn: ({ production_branch: branch }: Project) => api.projects.deploy(id, { branch, type }),
    onSuccess: (made) => {
      queries.setQueryData(deployQuery(made.id).queryKey, made);
      void queries.invalidateQueries({ queryKey: projectQuery(id).queryKey });
      go(pathTo('deploy', { org, project: id, deploy: made.id }));
    },
  });
  const all = rowsOf(deploys.data);
  const live = all.find((one) => one.live);
  const actions = project.data !== undefined && (
    <>
      {live !== undefined && (
        <ButtonLink href={live.url}>
          <Icon name="out" size={14} />
          Open
        </ButtonLink>
      )}
      {mayDeploy && project.data.repo_url !== undefined && (
        <Button
          look="primary"
          busy={deploy.isPending}
          onClick={() => {
            deploy.mutate(project.data);
          }}
        >
          <Icon name="deploys" size={14} />
          Deploy {project.data.production_branch}
        </Button>
      )}
    </>
  );
  return (
    <ProjectFrame org={org} project={id} open="project" {...(actions !== false && { actions })}>
      {deploy.isError && (
        <div className="mb-4">
          <ErrorNote error={deploy.error} />
        </div>
      )}
      <Loaded query={project}>
        {(found) => (
          <Loaded query={deploys}>
            {() =>
              all.length === 0 ? (
                <NoDeploys project={found} />
              ) : (
                <FilteredDeploys org={org} project={id} repository={found.repo_url} unfiltered={deploys} />
              )
            }
          </Loaded>
        )}
      </Loaded>
    </ProjectFrame>
  );
}

function NoDeploys({ project }: { readonly project: Project }): ReactNode {
  if (project.repo_url === undefined)
    return (
      <Empty
        icon="deploys"
        title="No deploys yet"
        action={<CopyLine text="npx @service/cli deploy" label="The command that deploys a directory" />}
      >
        No repository is linked to this project. Deploy a directory of your machine:
      </Empty>
    );
  return (
    <Empty
      icon="deploys"
      title="No deploys yet"
      action={<CopyLine text={`git clone ${project.repo_url}`} label="The command that clones the repository" />}
    >
      Each push to the repository is deployed. Pushes to <b className="text-ink">{project.production_branch}</b> go
      live.
    </Empty>
  );
}

interface FilteredDeploysProps {
  readonly org: string;
  readonly project: string;
  /** The address of the linked repository, whose branches are offered. */
  readonly repository: string | undefined;
  readonly unfiltered: DeploysProps['query'] & { readonly data: Parameters<typeof rowsOf<Deploy>>[0] };
}

/** The filters are in the address, so that a link shows the same. */
function FilteredDeploys({ org, project, repository, unfiltered }: FilteredDeploysProps): ReactNode {
  const [search, setSearch] = useSearchParams();
  const filter = filterIn(search);
  const isFiltered = filter.branch !== undefined || filter.state !== undefined;
  const filtered = useInfiniteQuery({ ...filteredDeploysQuery(project, filter), enabled: isFiltered });
  const known = useBranchNames(org, repository);
  const shown = rowsOf(unfiltered.data);
  const branches = new Set([...known, ...shown.map(({ branch }) => branch), ...(filter.branch ? [filter.branch] : [])]);
  const choose = (name: 'branch' | 'state', value: string): void => {
    setSearch(
      (before) => {
        if (value === '') before.delete(name);
        else before.set(name, value);
        return before;
      },
      { replace: true },
    );
  };
  return (
    <>
      <div className="mb-4 flex flex-wrap gap-3">
        <select
          aria-label="Branch"
          className="input w-auto max-w-56"
          value={filter.branch ?? ''}
          onChange={({ target }) => {
            choose('branch', target.value);
          }}
        >
          <option value="">All branches</option>
          {[...branches].map((branch) => (
            <option key={branch}>{branch}</option>
          ))}
        </select>
        <select
          aria-label="State"
          className="input w-auto"
          value={filter.state ?? ''}
          onChange={({ target }) => {
            choose('state', target.value);
          }}
        >
          <option value="">All states</option>
          {DEPLOY_STATES.map(({ state, word }) => (
            <option key={state} value={state}>
              {word}
            </option>
          ))}
        </select>
      </div>
      {isFiltered ? (
        <Loaded query={filtered}>
          {(data) =>
            rowsOf(data).length === 0 ? (
              <p className="text-muted">No deploy is like that.</p>
            ) : (
              <Deploys org={org} project={project} deploys={rowsOf(data)} query={filtered} />
            )
          }
        </Loaded>
      ) : (
        <Deploys org={org} project={project} deploys={shown} query={unfiltered} />
      )}
    </>
  );
}

/** What an address names that no list has, is not asked for. */
function filterIn(search: URLSearchParams): DeployFilter {
  const state = DEPLOY_STATES.find((each) => each.state === search.get('state'))?.state as DeployFilter['state'];
  return { branch: search.get('branch') || undefined, state };
}

interface DeploysProps {
  readonly org: string;
  readonly project: string;
  readonly deploys: readonly Deploy[];
  readonly query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): Promise<unknown> };
}

function Deploys({ org, project, deploys, query }: DeploysProps): ReactNode {
  const [chosen, setChosen] = useState<Deploy>();
  const mayRollBack = useMay(org, 'deploys:production');
  return (
    <>
      <Table
        label="Deploys, the latest first"
        rows={deploys}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Commit',
            cell: (deploy) => (
              <div className="max-w-36 sm:max-w-80">
                <ScreenLink
                  to="deploy"
                  params={{ org, project, deploy: deploy.id }}
                  className="block truncate font-medium hover:underline"
                >
                  {deploy.commit?.message ?? 'Uploaded files'}
                </ScreenLink>
                <span className="text-muted block truncate font-mono text-xs">
                  {[deploy.commit?.sha.slice(0, 7), deploy.commit?.author].filter(Boolean).join(' · ') || deploy.id}
                </span>
              </div>
            ),
          },
          {
            title: 'State',
            cell: (deploy) => (
              <span className="flex items-center gap-2">
                <DeployState deploy={deploy} />
                {deploy.live && <State tone="accent">Live</State>}
              </span>
            ),
          },
          {
            title: 'Branch',
            wideOnly: true,
            cell: ({ branch }) => (
              <span className="text-muted block max-w-40 truncate font-mono text-xs">{branch}</span>
            ),
          },
          {
            title: 'When',
            wideOnly: true,
            cell: ({ created_at: at }) => <When at={at} />,
          },
          {
            title: 'Actions',
            actions: true,
            cell: (deploy) =>
              mayRollBack &&
              canRollBackTo(deploy) && (
                <Button
                  look="quiet"
                  onClick={() => {
                    setChosen(deploy);
                  }}
                >
                  <Icon name="undo" size={14} />
                  <span className="max-sm:sr-only">Roll back</span>
                  <span className="sr-only"> to {deploy.commit?.message ?? deploy.id}</span>
                </Button>
              ),
          },
        ]}
        more={<More query={query} />}
      />
      <RollBackDialog
        project={project}
        deploy={chosen}
        onClose={() => {
          setChosen(undefined);
        }}
      />
    </>
  );
}
