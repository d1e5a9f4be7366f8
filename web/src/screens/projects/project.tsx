import type { Deploy, Page as PageOf, Project } from '@service/client';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, queries } from '../../api';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { deployQuery, deploysQuery, latestDeployQuery, projectQuery } from '../../data/projects';
import { pathTo } from '../../paths';
import { Button, ButtonLink } from '../../ui/button';
import { CopyLine } from '../../ui/copy';
import { DeployState } from '../../ui/deploy-state';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { ErrorNote } from '../../ui/error-note';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { noticeFailure } from '../../ui/notices';
import { Page } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';
import { Ago } from '../../ui/time';

interface Params {
  readonly org: string;
  readonly project: string;
}

export function prepare({ project }: Params): void {
  void queries.prefetchQuery(projectQuery(project));
  void queries.prefetchInfiniteQuery(deploysQuery(project));
}

export function Screen({ org, project: id }: Params): ReactNode {
  const [, go] = useLocation();
  const project = useQuery(projectQuery(id));
  const deploys = useInfiniteQuery(deploysQuery(id));
  const mayDeploy = useMay(org, 'deploys:production');
  const deploy = useMutation({
    mutationFn: ({ production_branch: branch }: Project) => api.projects.deploy(id, { branch, type: 'production' }),
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
    <Page
      title={project.data?.name ?? ' '}
      above={[['Projects', pathTo('projects', { org })]]}
      {...(actions !== false && { actions })}
    >
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
                <Deploys org={org} project={id} deploys={all} query={deploys} />
              )
            }
          </Loaded>
        )}
      </Loaded>
    </Page>
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

interface DeploysProps {
  readonly org: string;
  readonly project: string;
  readonly deploys: readonly Deploy[];
  readonly query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): Promise<unknown> };
}

function Deploys({ org, project, deploys, query }: DeploysProps): ReactNode {
  const [chosen, setChosen] = useState<Deploy>();
  const mayRollBack = useMay(org, 'deploys:production');
  const rollBack = useRollBack(project);
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
              <div className="max-w-48 sm:max-w-80">
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
            cell: ({ created_at: at }) => (
              <span className="text-muted whitespace-nowrap">
                <Ago at={at} />
              </span>
            ),
          },
          {
            title: 'Actions',
            actions: true,
            cell: (deploy) =>
              mayRollBack &&
              deploy.type === 'production' &&
              deploy.state === 'ready' &&
              deploy.files_removed !== true &&
              !deploy.live && (
                <Button
                  look="quiet"
                  onClick={() => {
                    setChosen(deploy);
                  }}
                >
                  <Icon name="undo" size={14} />
                  Roll back<span className="sr-only"> to {deploy.commit?.message ?? deploy.id}</span>
                </Button>
              ),
          },
        ]}
        more={<More query={query} />}
      />
      <Dialog
        open={chosen !== undefined}
        title="Roll back production?"
        onClose={() => {
          setChosen(undefined);
        }}
      >
        <p className="text-muted break-words">
          Visitors get <b className="text-ink">{chosen?.commit?.message ?? chosen?.id}</b>
          {chosen?.commit !== undefined && (
            <>
              {' '}
              (<code className="font-mono text-xs">{chosen.commit.sha.slice(0, 7)}</code>)
            </>
          )}{' '}
          within a second. Nothing is built again, and you can go forward as fast.
        </p>
        <div className="mt-5 flex justify-end gap-2">
          <Button
            onClick={() => {
              setChosen(undefined);
            }}
          >
            Cancel
          </Button>
          <Button
            look="primary"
            onClick={() => {
              if (chosen !== undefined) rollBack.mutate(chosen.id);
              setChosen(undefined);
            }}
          >
            Roll back
          </Button>
        </div>
      </Dialog>
    </>
  );
}

/** Shown at once, and taken back with the error where the service refuses. */
function useRollBack(project: string): { mutate: (deploy: string) => void } {
  const key = deploysQuery(project).queryKey;
  return useMutation({
    mutationFn: (deploy: string) => api.projects.rollback(project, deploy),
    onMutate: async (deploy) => {
      await queries.cancelQueries({ queryKey: key });
      const before = queries.getQueryData(key);
      queries.setQueryData(key, (old) =>
        old === undefined ? old : { ...old, pages: old.pages.map((page) => liveIs(page, deploy)) },
      );
      return { before };
    },
    onError: (error, _deploy, context) => {
      queries.setQueryData(key, context?.before);
      noticeFailure(error);
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: key });
      void queries.invalidateQueries({ queryKey: latestDeployQuery(project).queryKey });
    },
  });
}

const liveIs = (page: PageOf<Deploy>, deploy: string): PageOf<Deploy> => ({
  ...page,
  data: page.data.map((one) => ({ ...one, live: one.id === deploy })),
});
