import type { Generation } from '@service/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { ignore, queries } from '../../api';
import { AiFrame } from '../../ai/ai-frame';
import { tokensOf } from '../../ai/amounts';
import { NotForCalls } from '../../ai/not-for-calls';
import { Outcome, OUTCOMES } from '../../ai/outcome';
import { money } from '../../chart/units';
import { type GenerationFilter, generationsQuery, modelsQuery } from '../../data/ai';
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

/** The filter is in the address. */
function Generations({ org }: Params): ReactNode {
  const [search, setSearch] = useSearchParams();
  const filter = filterIn(search);
  const generations = useInfiniteQuery(generationsQuery(org, filter));
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <Filters
        org={org}
        search={search}
        onChange={(name, value) => {
          const next = new URLSearchParams(search);
          if (value === '') next.delete(name);
          else next.set(name, value);
          setSearch(next, { replace: true });
        }}
      />
      <Loaded query={generations}>
        {(data) =>
          rowsOf(data).length > 0 ? (
            <Rows org={org} rows={rowsOf(data)} more={<More query={generations} />} />
          ) : isFiltered ? (
            <Empty icon="search" title="No generation matches">
              Choose fewer filters to see more.
            </Empty>
          ) : (
            <Empty
              icon="ai"
              title="No generations yet"
              action={<ButtonLink href={pathTo('aiPlayground', { org })}>Open the playground</ButtonLink>}
            >
              Every call of a model appears here for 90 days, with its tokens and its cost.
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}

type FilterName = 'model' | 'by' | 'outcome';

function filterIn(search: URLSearchParams): GenerationFilter {
  const [model, by, wanted] = [search.get('model'), search.get('by'), search.get('outcome')];
  const outcome = OUTCOMES.find((each) => each.outcome === wanted)?.outcome;
  return {
    ...(model === null ? {} : { model }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(by === null ? {} : by.startsWith('prj_') ? { project_id: by } : { key_id: by }),
  };
}

interface FiltersProps extends Params {
  readonly search: URLSearchParams;
  readonly onChange: (name: FilterName, value: string) => void;
}

function Filters({ org, search, onChange }: FiltersProps): ReactNode {
  const offered = useQuery(modelsQuery).data ?? [];
  const wanted = search.get('model');
  // A generation can be of a model that is not offered any more.
  const models =
    wanted === null || offered.some(({ id }) => id === wanted) ? offered : [{ id: wanted, name: wanted }, ...offered];
  const keys = [...useKeys(org).values()];
  const projects = [...useProjectNames(org)];
  const choice = (name: FilterName, label: string, options: ReactNode): ReactNode => (
    <select
      aria-label={label}
      className="input w-auto max-w-52"
      value={search.get(name) ?? ''}
      onChange={({ target }) => {
        onChange(name, target.value);
      }}
    >
      {options}
    </select>
  );
  return (
    <div className="mb-3 flex flex-wrap items-center gap-3">
      {choice(
        'model',
        'Model',
        <>
          <option value="">All models</option>
          {models.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </>,
      )}
      {choice(
        'by',
        'Called by',
        <>
          <option value="">All keys and projects</option>
          <optgroup label="Projects">
            {projects.map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </optgroup>
          <optgroup label="API keys">
            {keys.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </optgroup>
        </>,
      )}
      {choice(
        'outcome',
        'Outcome',
        <>
          <option value="">All outcomes</option>
          {OUTCOMES.map(({ outcome, word }) => (
            <option key={outcome} value={outcome}>
              {word}
            </option>
          ))}
        </>,
      )}
      <span className="text-muted ml-auto text-sm">The last 90 days</span>
    </div>
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
