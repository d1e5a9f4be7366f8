import type { ReactNode } from 'react';
import { ScreenLink } from '../../../ui/screen-link';
import { ProjectFrame, type ProjectParams, type ProjectScreen, type ProjectTab } from '../project-frame';

const PARTS: readonly ProjectTab[] = [
  ['General', 'projectSettings'],
  ['Build and run', 'projectBuild'],
  ['Variables', 'projectVariables'],
  ['Domains', 'projectDomains'],
  ['Protection', 'projectProtection'],
  ['Deploy hooks', 'projectHooks'],
];

interface SettingsFrameProps extends ProjectParams {
  readonly open: ProjectScreen;
  readonly children: ReactNode;
}

/** The settings of a project are screens of their own, beside the list of them. */
export function SettingsFrame({ org, project, open, children }: SettingsFrameProps): ReactNode {
  return (
    <ProjectFrame org={org} project={project} open="projectSettings">
      <div className="grid gap-6 md:grid-cols-[160px_minmax(0,1fr)] md:gap-8">
        <nav aria-label="Settings" className="flex flex-wrap gap-0.5 md:flex-col">
          {PARTS.map(([name, to]) => (
            <ScreenLink
              key={to}
              to={to}
              params={{ org, project }}
              aria-current={to === open ? 'page' : undefined}
              className={`flex min-h-8 items-center rounded-md px-2.5 whitespace-nowrap ${to === open ? 'bg-accent-soft text-accent-ink font-medium' : 'text-muted hover:bg-sunken hover:text-ink'}`}
            >
              {name}
            </ScreenLink>
          ))}
        </nav>
        <div className="min-w-0">{children}</div>
      </div>
    </ProjectFrame>
  );
}
