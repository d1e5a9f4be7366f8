import { type ReactNode, useEffect } from 'react';
import { useProjectName } from '../../data/projects';
import { pathTo, type PathName } from '../../paths';
import { Page } from '../../ui/page';
import { type Tab, Tabs } from '../../ui/tabs';

export interface ProjectParams {
  readonly org: string;
  readonly project: string;
}

export type ProjectScreen = Extract<PathName, 'project' | `project${string}`> & Exclude<PathName, 'projects'>;
export type ProjectTab = Tab<ProjectScreen>;

const TABS: readonly ProjectTab[] = [
  ['Deploys', 'project'],
  ['Logs', 'projectLogs'],
  ['Metrics', 'projectMetrics'],
  ['Crons', 'projectCrons'],
  ['Attached', 'projectAttached'],
  ['Settings', 'projectSettings'],
];

interface ProjectFrameProps extends ProjectParams {
  readonly open: ProjectScreen;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** What stands around every screen of a project: its name, and the ways to the others. */
export function ProjectFrame({ org, project, open, actions, children }: ProjectFrameProps): ReactNode {
  const name = useProjectName(project) ?? 'Project';
  const tab = TABS.find(([, to]) => to === open)?.[0];
  useEffect(() => {
    // Several tabs of a browser can be open on one project.
    if (tab !== undefined) document.title = `${tab} · ${name} · Service platform`;
  }, [tab, name]);
  return (
    <Page title={name} above={[['Projects', pathTo('projects', { org })]]} {...(actions !== undefined && { actions })}>
      <Tabs label="Project" tabs={TABS} open={open} params={{ org, project }} />
      {children}
    </Page>
  );
}
