import type { AgentRun } from '@service/client';
import type { ReactNode } from 'react';
import { money } from '../chart/units';
import { ScreenLink } from '../ui/screen-link';
import { Table } from '../ui/table';
import { Duration, When } from '../ui/time';
import { inText } from './json-text';
import { RunState } from './run-state';

interface RunTableProps {
  readonly org: string;
  readonly rows: readonly AgentRun[];
  readonly more?: ReactNode;
  readonly label?: string;
}

export const TRIGGERS: Readonly<Record<AgentRun['trigger'], string>> = {
  api: 'by a person or a key',
  schedule: 'by a schedule',
  swarm: 'by a swarm',
  agent: 'by another run',
};

/** Runs with what they were asked, how they stand and what they cost. */
export function RunTable({ org, rows, more, label = 'Runs' }: RunTableProps): ReactNode {
  return (
    <Table
      label={label}
      rows={rows}
      keyOf={({ id }) => id}
      {...(more !== undefined && { more })}
      columns={[
        {
          title: 'Input',
          cell: ({ id, input, trigger, agent_version: version }) => (
            <div className="max-w-40 sm:max-w-80">
              <ScreenLink to="run" params={{ org, run: id }} className="block truncate font-medium hover:underline">
                {inText(input).slice(0, 200) || id}
              </ScreenLink>
              <span className="text-muted block truncate text-xs">
                Version {version}, started {TRIGGERS[trigger]}
              </span>
            </div>
          ),
        },
        { title: 'State', cell: (run) => <RunState run={run} /> },
        { title: 'Cost', numeric: true, cell: ({ cost }) => money(Number(cost)) },
        {
          title: 'Took',
          wideOnly: true,
          numeric: true,
          cell: ({ started_at: from, ended_at: to }) =>
            from == null ? '–' : <Duration from={from} to={to ?? undefined} />,
        },
        {
          title: 'Created',
          wideOnly: true,
          cell: ({ created_at: at }) => <When at={at} />,
        },
      ]}
    />
  );
}
