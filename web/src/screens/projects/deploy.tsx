import type { Deploy } from '@service/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { useMay } from '../../data/me';
import { protectionQuery } from '../../data/project-settings';
import { deployQuery, deploysQuery, isRunning, projectQuery } from '../../data/projects';
import { LogView } from '../../log/log-view';
import { useDeployLog } from '../../log/use-deploy-log';
import { pathTo } from '../../paths';
import { Button, ButtonLink } from '../../ui/button';
import { Copy } from '../../ui/copy';
import { DeployState } from '../../ui/deploy-state';
import { Dialog } from '../../ui/dialog';
import { ErrorNote } from '../../ui/error-note';
import { Fact } from '../../ui/fact';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { Page } from '../../ui/page';
import { State } from '../../ui/state';
import { Ago, Duration } from '../../ui/time';
import { canRollBackTo, RollBackDialog } from './roll-back';
import { SignedLink } from './signed-link';

interface Params {
  readonly org: string;
  readonly project: string;
  readonly deploy: string;
}

export function prepare({ deploy, project }: Params): void {
  queries.query(deployQuery(deploy)).catch(ignore);
  queries.query(projectQuery(project)).catch(ignore);
}

export function Screen({ org, project, deploy: id }: Params): ReactNode {
  const deploy = useQuery(deployQuery(id));
  const owner = useQuery(projectQuery(project));
  const log = useDeployLog(id);
  const { data } = deploy;
  return (
    <Page
      title={data === undefined ? 'Deploy' : titleOf(data)}
      above={[
        ['Projects', pathTo('projects', { org })],
        [owner.data?.name ?? 'Project', pathTo('project', { org, project })],
      ]}
      state={
        data !== undefined && (
          <span role="status" className="flex gap-2">
            <DeployState deploy={data} />
            {data.live && <State tone="accent">Live</State>}
          </span>
        )
      }
      actions={data !== undefined && <Actions org={org} deploy={data} />}
    >
      <Loaded query={deploy}>
        {(found) => (
          <div className="grid gap-4">
            {found.error !== undefined && <BuildFault error={found.error} />}
            <Facts deploy={found} />
            <Steps deploy={found} phase={log.lines.at(-1)?.phase} />
            {log.error !== undefined && <ErrorNote error={log.error} />}
            <LogView
              lines={log.lines}
              running={isRunning(found)}
              empty={isRunning(found) ? 'Waiting for the first line.' : 'This deploy has no log.'}
            />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

const titleOf = ({ commit, id }: Deploy): string => commit?.message ?? `Deploy ${id.slice(-8)}`;

function Actions({ org, deploy }: { readonly org: string; readonly deploy: Deploy }): ReactNode {
  const [, go] = useLocation();
  const { id, project_id: project, branch, type, commit } = deploy;
  const may = useMay(org, type === 'production' ? 'deploys:production' : 'deploys:write');
  const mayPromote = useMay(org, 'deploys:production');
  const [chosen, setChosen] = useState<Deploy>();
  const take = (news: Deploy): void => {
    queries.setQueryData(deployQuery(news.id).queryKey, news);
    void queries.invalidateQueries({ queryKey: deploysQuery(project).queryKey });
  };
  const cancel = useMutation({ mutationFn: () => api.deploys.cancel(id), onSuccess: take });
  const promote = useMutation({ mutationFn: () => api.deploys.promote(id), onSuccess: take });
  const again = useMutation({
    mutationFn: (sha?: string) =>
      api.projects.deploy(project, { branch, type, ...(sha !== undefined && { commit: sha }) }),
    onSuccess: (made) => {
      take(made);
      go(pathTo('deploy', { org, project, deploy: made.id }));
    },
  });
  const error = cancel.error ?? promote.error ?? again.error;
  return (
    <>
      {isRunning(deploy) && may && (
        <Button
          look="danger"
          busy={cancel.isPending}
          onClick={() => {
            cancel.mutate();
          }}
        >
          Cancel
        </Button>
      )}
      {!isRunning(deploy) && may && deploy.upload_id === undefined && (
        <>
          <Button
            busy={again.isPending && again.variables === undefined}
            onClick={() => {
              again.mutate(undefined);
            }}
          >
            Deploy {branch} again
          </Button>
          {commit !== undefined && (
            <Button
              busy={again.isPending && again.variables !== undefined}
              onClick={() => {
                again.mutate(commit.sha);
              }}
            >
              Deploy {commit.sha.slice(0, 7)} again
            </Button>
          )}
        </>
      )}
      {deploy.state === 'ready' && type === 'preview' && !deploy.live && mayPromote && (
        <Button
          busy={promote.isPending}
          onClick={() => {
            promote.mutate();
          }}
        >
          Promote
        </Button>
      )}
      {deploy.state === 'ready' && deploy.files_removed !== true && <Share org={org} deploy={deploy} />}
      {deploy.state === 'ready' && deploy.files_removed !== true && (
        <ButtonLink href={deploy.url} look="primary">
          <Icon name="out" size={14} />
          Open
        </ButtonLink>
      )}
      {mayPromote && canRollBackTo(deploy) && (
        <Button
          onClick={() => {
            setChosen(deploy);
          }}
        >
          <Icon name="undo" size={14} />
          Roll back to this
        </Button>
      )}
      <RollBackDialog
        project={project}
        deploy={chosen}
        onClose={() => {
          setChosen(undefined);
        }}
      />
      {error !== null && (
        <div className="w-full">
          <ErrorNote error={error} />
        </div>
      )}
    </>
  );
}

/** The address of a single deploy is protected as those of previews are. */
function Share({ org, deploy }: { readonly org: string; readonly deploy: Deploy }): ReactNode {
  const { data: protection } = useQuery(protectionQuery(deploy.project_id));
  const may = useMay(org, 'deploys:write');
  const [open, setOpen] = useState(false);
  if (!may || protection === undefined || protection.previews === 'none') return null;
  return (
    <>
      <Button
        onClick={() => {
          setOpen(true);
        }}
      >
        Share
      </Button>
      <Dialog
        open={open}
        title="Share this deploy"
        wide
        onClose={() => {
          setOpen(false);
        }}
      >
        <p className="text-muted mb-3">This deploy is protected. A signed link opens it for a while.</p>
        <SignedLink create={() => api.deploys.share(deploy.id)} />
      </Dialog>
    </>
  );
}

/** The message names the page that helps, as terminals have no links. Here it is one. */
function BuildFault({ error }: { readonly error: NonNullable<Deploy['error']> }): ReactNode {
  const [sentence, page] = / See (\/docs\/[\w/#-]+)\.?$/.exec(error.message) ?? ['', `/docs/errors/${error.code}`];
  return (
    <div role="alert" className="bg-bad-soft rounded-md p-3">
      <p className="text-bad font-medium break-words whitespace-pre-wrap">
        {error.message.slice(0, error.message.length - sentence.length)}
      </p>
      <a className="link" href={page} target="_blank" rel="noreferrer">
        What to do
      </a>
    </div>
  );
}

function Facts({ deploy }: { readonly deploy: Deploy }): ReactNode {
  const { branch, commit, created_at: at, finished_at: end, url, type, trigger } = deploy;
  return (
    <dl className="card grid grid-cols-2 gap-x-6 gap-y-3 p-4 lg:grid-cols-4">
      <Fact name={`${type === 'production' ? 'Production' : 'Preview'}, by ${TRIGGERS[trigger]}`}>
        <span className="truncate font-mono text-xs">{branch}</span>
      </Fact>
      <Fact name="Commit">
        {commit === undefined ? (
          'Uploaded files'
        ) : (
          <>
            <span className="font-mono text-xs">{commit.sha.slice(0, 7)}</span>
            <Copy text={commit.sha} label="Copy the commit" />
          </>
        )}
      </Fact>
      <Fact name="Started">
        <span>
          <Ago at={at} />, <span className="text-muted">{end === undefined ? 'for' : 'took'}</span>{' '}
          <Duration from={at} to={end} />
        </span>
      </Fact>
      <Fact name="Address">
        <span className="truncate font-mono text-xs">{url.replace(/^https?:\/\//, '')}</span>
        <Copy text={url} label="Copy the address" />
      </Fact>
    </dl>
  );
}

const TRIGGERS: Readonly<Record<Deploy['trigger'], string>> = { api: 'hand', push: 'push', hook: 'a hook' };

const STEPS = [
  ['Queue', ['queue']],
  ['Fetch', ['resolve', 'fetch']],
  ['Install', ['install']],
  ['Build', ['build', 'collect']],
  ['Upload', ['ingest', 'check']],
  ['Live', ['live']],
] as const;

interface StepsProps {
  readonly deploy: Deploy;
  readonly phase: string | undefined;
}

/** How far it came. Where it failed, the step that it failed in says so. */
function Steps({ deploy, phase }: StepsProps): ReactNode {
  const running = isRunning(deploy);
  const reached = deploy.state === 'ready' ? STEPS.length : STEPS.findIndex(([, phases]) => isIn(phases, phase));
  return (
    <ol aria-label="Steps" className="grid grid-cols-3 gap-x-2 gap-y-3 sm:grid-cols-6">
      {STEPS.map(([name], index) => {
        const here = index === reached;
        const failed = here && deploy.state === 'error';
        return (
          <li key={name} aria-current={here && running ? 'step' : undefined} className="text-sm">
            <span
              aria-hidden="true"
              className={`mb-1 block h-1 rounded-full ${failed ? 'bg-bad' : index < reached ? 'bg-good' : here ? (running ? 'bg-accent pulse' : 'bg-line-strong') : 'bg-line'}`}
            />
            <span className={failed ? 'text-bad font-medium' : index <= reached ? 'font-medium' : 'text-muted'}>
              {name}
              {failed ? ' failed' : ''}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

const isIn = (phases: readonly string[], phase: string | undefined): boolean =>
  phase !== undefined && phases.includes(phase);
