import type { ListedProject } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { ignore, queries } from '../../api';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { projectsQuery } from '../../data/projects';
import { pathTo } from '../../paths';
import { isMatch } from '../../shell/match';
import { Avatar } from '../../ui/avatar';
import { ButtonLink } from '../../ui/button';
import { CopyLine } from '../../ui/copy';
import { DeployState } from '../../ui/deploy-state';
import { Empty } from '../../ui/empty';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Page } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { Ago } from '../../ui/time';

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.infiniteQuery(projectsQuery(org)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const projects = useInfiniteQuery(projectsQuery(org));
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text);
  const mayCreate = useMay(org, 'projects:write');
  return (
    <Page title="Projects" actions={mayCreate && <NewProject org={org} />}>
      <Loaded query={projects}>
        {(data) => {
          const all = rowsOf(data);
          if (all.length === 0) return <FirstProject org={org} />;
          const shown = all.filter(({ name, slug }) => isMatch(name, wanted) || isMatch(slug, wanted));
          return (
            <>
              <input
                data-search
                type="search"
                className="input mb-4 max-w-sm"
                aria-label="Find a project"
                placeholder="Find a project"
                value={text}
                onChange={(event) => {
                  setText(event.target.value);
                }}
              />
              <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
                {shown.map((project) => (
                  <Card key={project.id} org={org} project={project} />
                ))}
              </ul>
              <p role="status" className="text-muted">
                {shown.length === 0 ? 'No project has this name.' : ''}
              </p>
              <More query={projects} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Card({ org, project }: { readonly org: string; readonly project: ListedProject }): ReactNode {
  const { id, name, framework, production_branch: branch, repo_url: repository, created_at: at } = project;
  const { last_deploy: deploy } = project;
  return (
    <li className="card hover:border-line-strong relative flex min-w-0 flex-col p-4 transition-colors">
      <div className="flex items-center justify-between gap-2">
        <Avatar name={name} />
        {deploy === undefined ? (
          <span className="text-muted text-xs">Not deployed yet</span>
        ) : (
          <DeployState deploy={deploy} />
        )}
      </div>
      <h2 className="mt-3 truncate text-lg font-semibold">
        <ScreenLink
          to="project"
          params={{ org, project: id }}
          className="inline-block min-h-6 max-w-full truncate align-top after:absolute after:inset-0 after:rounded-lg"
        >
          {name}
        </ScreenLink>
      </h2>
      <p className="text-muted truncate text-sm">
        {deploy?.commit_message ?? repository?.replace(/^https?:\/\//, '') ?? 'No repository is linked'}
      </p>
      <p className="text-muted mt-4 flex items-center gap-1.5 text-xs">
        <Icon name="branch" size={13} />
        <span className="truncate font-mono">{branch}</span>
        <span aria-hidden="true">·</span>
        <Ago at={deploy?.created_at ?? at} />
        {framework !== undefined && <span className="ml-auto">{framework}</span>}
      </p>
    </li>
  );
}

function NewProject({ org }: Params): ReactNode {
  return (
    <ButtonLink look="primary" href={pathTo('newProject', { org })}>
      <Icon name="plus" size={14} />
      New project
    </ButtonLink>
  );
}

function FirstProject({ org }: Params): ReactNode {
  const command = 'npx @service/cli init my-shop --template nextjs';
  return (
    <Empty
      icon="projects"
      title="Your first project"
      action={
        <>
          <NewProject org={org} />
          <CopyLine text={command} label="The command that makes a project" />
        </>
      }
    >
      A project is a repository whose pushes are built and served. Start from a template here, or from a terminal:
    </Empty>
  );
}
