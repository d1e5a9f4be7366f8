import type { Generation } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ignore, queries } from '../../api';
import { AiFrame } from '../../ai/ai-frame';
import { tokensOf } from '../../ai/amounts';
import { NotForCalls } from '../../ai/not-for-calls';
import { Outcome } from '../../ai/outcome';
import { money } from '../../chart/units';
import { generationsQuery } from '../../data/ai';
import { useMay } from '../../data/me';
import { useKeys, useProjectNames } from '../../data/names';
import { rowsOf } from '../../data/paged';
import { pathTo } from '../../paths';
import { ButtonLink } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { ScreenLink } from '../../ui/screen-link';
import { Table } from '../../ui/table';
import { Ago, durationOf } from '../../ui/time';

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.infiniteQuery(generationsQuery(org)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const may = useMay(org, 'ai:invoke');
  return (
    <AiFrame org={org} open="aiGenerations">
      {may ? <Generations org={org} /> : <NotForCalls />}
    </AiFrame>
  );
}

function Generations({ org }: Params): ReactNode {
  const generations = useInfiniteQuery(generationsQuery(org));
  return (
    <Loaded query={generations}>
      {(data) =>
        rowsOf(data).length === 0 ? (
          <Empty
            icon="ai"
            title="No generations yet"
            action={<ButtonLink href={pathTo('aiPlayground', { org })}>Open the playground</ButtonLink>}
          >
            Every call of a model appears here for 90 days, with its tokens and its cost. Its text is not kept.
          </Empty>
        ) : (
          <>
            <p className="text-muted mb-4">The calls of the last 90 days. Prompts and answers are not kept.</p>
            <Rows org={org} rows={rowsOf(data)} more={<More query={generations} />} />
          </>
        )
      }
    </Loaded>
  );
}

interface RowsProps {
  readonly org: string;
  readonly rows: readonly Generation[];
  readonly more: ReactNode;
}

function Rows({ org, rows, more }: RowsProps): ReactNode {
  const keys = useKeys(org);
  const projects = useProjectNames(org);
  const callerOf = ({ key_id: key, project_id: project }: Generation): string => {
    if (project !== undefined) return projects.get(project) ?? project;
    return key === undefined ? 'This app' : (keys.get(key)?.name ?? key);
  };
  return (
    <Table
      label="Generations"
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
      columns={[
        {
          title: 'Model',
          cell: ({ id, model, created_at: at }) => (
            <div className="max-w-40 sm:max-w-64">
              <ScreenLink
                to="aiGeneration"
                params={{ org, generation: id }}
                className="block truncate font-medium hover:underline"
              >
                {model}
              </ScreenLink>
              <span className="text-muted block text-xs">
                <Ago at={at} />
              </span>
            </div>
          ),
        },
        {
          title: 'Called by',
          wideOnly: true,
          cell: (generation) => <span className="block max-w-40 truncate">{callerOf(generation)}</span>,
        },
        {
          title: 'Tokens in',
          wideOnly: true,
          numeric: true,
          cell: ({ tokens }) => tokensOf(tokens.input + tokens.cache_read + tokens.cache_write),
        },
        { title: 'Out', wideOnly: true, numeric: true, cell: ({ tokens }) => tokensOf(tokens.output) },
        {
          title: 'Time',
          wideOnly: true,
          numeric: true,
          cell: ({ created_at: from, finished_at: to }) => (
            <span className="whitespace-nowrap">{durationOf(Date.parse(to) - Date.parse(from))}</span>
          ),
        },
        { title: 'Cost', numeric: true, cell: ({ cost }) => money(Number(cost)) },
        { title: 'Outcome', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
      ]}
    />
  );
}
