import type { RuntimeLogLevel, RuntimeLogLine } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { api, ignore, queries } from '../../api';
import { rowsOf } from '../../data/paged';
import { deploysQuery } from '../../data/projects';
import { LogView } from '../../log/log-view';
import { useLines } from '../../log/use-lines';
import { ErrorNote } from '../../ui/error-note';
import { ProjectFrame, type ProjectParams } from './project-frame';

/** The levels from one on, which is how people look for what went wrong. */
const LEVELS: Readonly<Record<string, readonly [name: string, levels: readonly RuntimeLogLevel[] | undefined]>> = {
  '': ['All levels', undefined],
  info: ['Without debug', ['info', 'warn', 'error', 'system']],
  warn: ['Warnings and errors', ['warn', 'error']],
  error: ['Errors', ['error']],
};
const BEGIN_WITH = 1_000;
/** A page that is open for days keeps the last of them. */
const MOST = 20_000;
const CLOCK = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });
const clockOf = ({ time }: RuntimeLogLine): string => CLOCK.format(new Date(time));

export function prepare({ project }: ProjectParams): void {
  queries.infiniteQuery(deploysQuery(project)).catch(ignore);
}

/** What the servers of a project print, as they print it. The filters are in the address. */
export function Screen({ org, project }: ProjectParams): ReactNode {
  const [search, setSearch] = useSearchParams();
  const deploys = rowsOf(useInfiniteQuery(deploysQuery(project)).data);
  const deploy = search.get('deploy') ?? '';
  const level = search.get('level') ?? '';
  const log = useLines({
    streamKey: `${project} ${deploy} ${level}`,
    most: MOST,
    open: (signal) =>
      api.projects.runtimeLogs(project, {
        follow: true,
        limit: BEGIN_WITH,
        levels: LEVELS[level]?.[1],
        ...(deploy !== '' && { deploy }),
        signal,
      }),
  });
  const choose = (name: string, value: string): void => {
    setSearch(
      (old) => {
        const next = new URLSearchParams(old);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  };
  return (
    <ProjectFrame org={org} project={project} open="projectLogs">
      {log.error !== undefined && (
        <div className="mb-4">
          <ErrorNote error={log.error} />
        </div>
      )}
      <LogView
        lines={log.lines}
        running={log.error === undefined}
        empty="No lines yet. What the servers of this project print is here at once; static sites have none."
        nameOf={clockOf}
        filters={
          <>
            <Filter
              label="Level"
              value={level}
              onChoose={(value) => {
                choose('level', value);
              }}
            >
              {Object.entries(LEVELS).map(([id, [name]]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Filter>
            <Filter
              label="Deploy"
              value={deploy}
              onChoose={(value) => {
                choose('deploy', value);
              }}
            >
              <option value="">All deploys</option>
              {deploy !== '' && !deploys.some(({ id }) => id === deploy) && <option value={deploy}>{deploy}</option>}
              {deploys.map(({ id, branch, commit }) => (
                <option key={id} value={id}>
                  {commit === undefined
                    ? `Uploaded files ${id.slice(-6)}`
                    : `${branch} ${commit.sha.slice(0, 7)} ${commit.message.slice(0, 40)}`}
                </option>
              ))}
            </Filter>
          </>
        }
      />
    </ProjectFrame>
  );
}

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (value: string) => void;
  readonly children: ReactNode;
}

function Filter({ label, value, onChoose, children }: FilterProps): ReactNode {
  return (
    <select
      aria-label={label}
      className="input !h-8 !min-h-8 !w-auto max-w-40 !px-2 text-sm"
      value={value}
      onChange={({ target }) => {
        onChoose(target.value);
      }}
    >
      {children}
    </select>
  );
}
