import { type ReactNode, useEffect, useRef } from 'react';
import { useProjectName } from '../../data/projects';
import { pathTo, type PathName } from '../../paths';
import { Page } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';

export interface ProjectParams {
  readonly org: string;
  readonly project: string;
}

export type ProjectScreen = Extract<PathName, 'project' | `project${string}`> & Exclude<PathName, 'projects'>;
export type Tab = readonly [name: string, to: ProjectScreen];

const TABS: readonly Tab[] = [
  ['Deploys', 'project'],
  ['Logs', 'projectLogs'],
  ['Metrics', 'projectMetrics'],
  ['Crons', 'projectCrons'],
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

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly open: ProjectScreen;
  readonly params: ProjectParams;
}

/** On a phone the row scrolls, and the open one is in view. */
function Tabs({ label, tabs, open, params }: TabsProps): ReactNode {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    const place = row.current!.querySelector<HTMLElement>('[aria-current]');
    if (place !== null) row.current!.scrollLeft = place.offsetLeft - row.current!.clientWidth / 2;
  }, [open]);
  return (
    <nav ref={row} aria-label={label} className="border-line relative -mt-2 mb-6 flex gap-1 overflow-x-auto border-b">
      {tabs.map(([name, to]) => (
        <ScreenLink
          key={to}
          to={to}
          params={params}
          aria-current={to === open ? 'page' : undefined}
          className={`flex min-h-9 items-center border-b-2 px-3 whitespace-nowrap ${to === open ? 'border-accent text-ink font-medium' : 'text-muted hover:text-ink border-transparent'}`}
        >
          {name}
        </ScreenLink>
      ))}
    </nav>
  );
}
