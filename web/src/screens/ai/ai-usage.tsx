import type { Usage } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { ignore, queries } from '../../api';
import { AiFrame } from '../../ai/ai-frame';
import { partsOf, tokensOf } from '../../ai/amounts';
import { Chart } from '../../chart/chart';
import { money } from '../../chart/units';
import { daysOf, lastMonths, usageByModelQuery } from '../../data/billing';
import { useMay } from '../../data/me';
import { pathTo } from '../../paths';
import { ButtonLink } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { MonthChoice, monthName, useMonth } from '../../ui/month';
import { NotForRole } from '../../ui/not-for-role';
import { Section } from '../../ui/page';
import { Table } from '../../ui/table';

interface Params {
  readonly org: string;
}

/** More would not be told apart: the rest is one series. */
const MOST_SERIES = 5;

export function prepare({ org }: Params): void {
  queries.query(usageByModelQuery(org, lastMonths(1)[0]!)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const mayRead = useMay(org, 'billing:read');
  return (
    <AiFrame org={org} open="aiUsage">
      {mayRead ? <OfMonth org={org} /> : <NotForRole />}
    </AiFrame>
  );
}

function OfMonth({ org }: Params): ReactNode {
  const month = useMonth();
  const usage = useQuery(usageByModelQuery(org, month));
  const data = usage.data;
  const models = useMemo(() => (data === undefined ? undefined : byModel(data.data)), [data]);
  const times = useMemo(() => daysOf(month), [month]);
  const series = useMemo(() => (models === undefined ? undefined : seriesOf(models, times)), [models, times]);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-lg font-semibold">Cost of models in {monthName(month)}</h2>
        <MonthChoice path={pathTo('aiUsage', { org })} month={month} />
      </div>
      <Loaded query={usage}>
        {() =>
          models === undefined || series === undefined || models.length === 0 ? (
            <Empty
              icon="usage"
              title="No model was called"
              action={<ButtonLink href={pathTo('aiPlayground', { org })}>Open the playground</ButtonLink>}
            >
              Tokens appear here within a minute, by model and day, with what they cost.
            </Empty>
          ) : (
            <>
              <div className="mb-8">
                <Chart
                  label={`Cost by day and model in ${monthName(month)}`}
                  times={times}
                  series={series}
                  unit="money"
                  step="day"
                  kind="bars"
                />
              </div>
              <ByModel models={models} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

interface ModelUsage {
  readonly model: string;
  readonly tokens: { input: number; output: number; cached: number };
  cost: number;
  readonly costByDay: Map<string, number>;
}

/** One row for each model, the dearest first. */
function byModel(rows: readonly Usage[]): readonly ModelUsage[] {
  const found = new Map<string, ModelUsage>();
  for (const { meter, model: metered, day = '', cost, quantity } of rows) {
    if (meter !== 'ai_tokens' || metered === undefined) continue;
    const [model, kind] = partsOf(metered);
    const usage: ModelUsage = found.get(model) ?? {
      model,
      tokens: { input: 0, output: 0, cached: 0 },
      cost: 0,
      costByDay: new Map(),
    };
    found.set(model, usage);
    usage.tokens[kind === 'output' ? 'output' : kind === 'cache_read' ? 'cached' : 'input'] += Number(quantity);
    usage.cost += Number(cost);
    usage.costByDay.set(day, (usage.costByDay.get(day) ?? 0) + Number(cost));
  }
  return [...found.values()].toSorted((a, b) => b.cost - a.cost || a.model.localeCompare(b.model));
}

function seriesOf(models: readonly ModelUsage[], times: readonly string[]): { name: string; values: number[] }[] {
  const [own, others] =
    models.length <= MOST_SERIES ? [models, []] : [models.slice(0, MOST_SERIES - 1), models.slice(MOST_SERIES - 1)];
  const valuesOf = (some: readonly ModelUsage[]): number[] =>
    times.map((day) => some.reduce((sum, { costByDay }) => sum + (costByDay.get(day) ?? 0), 0));
  return [
    ...own.map((model) => ({ name: model.model, values: valuesOf([model]) })),
    ...(others.length === 0 ? [] : [{ name: `${others.length} others`, values: valuesOf(others) }]),
  ];
}

function ByModel({ models }: { readonly models: readonly ModelUsage[] }): ReactNode {
  const all = models.reduce((sum, { cost }) => sum + cost, 0);
  return (
    <Section title="By model" hint={`${money(all)} in all.`}>
      <Table
        label="Cost by model"
        rows={models}
        keyOf={({ model }) => model}
        columns={[
          {
            title: 'Model',
            cell: ({ model }) => <code className="block max-w-40 truncate font-mono text-xs sm:max-w-72">{model}</code>,
          },
          { title: 'Tokens in', wideOnly: true, numeric: true, cell: ({ tokens }) => tokensOf(tokens.input) },
          { title: 'From caches', wideOnly: true, numeric: true, cell: ({ tokens }) => tokensOf(tokens.cached) },
          { title: 'Tokens out', wideOnly: true, numeric: true, cell: ({ tokens }) => tokensOf(tokens.output) },
          {
            title: 'Share',
            wideOnly: true,
            numeric: true,
            cell: ({ cost }) => (all === 0 ? '–' : `${Math.round((100 * cost) / all)} %`),
          },
          { title: 'Cost', numeric: true, cell: ({ cost }) => money(cost) },
        ]}
      />
    </Section>
  );
}
