import type { Forecast, SpendCap, Usage } from '@service/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { ignore, queries } from '../../api';
import { Chart } from '../../chart/chart';
import { bytesOf, money } from '../../chart/units';
import {
  daysOf,
  forecastQuery,
  lastMonths,
  plansQuery,
  spendCapQuery,
  subscriptionQuery,
  usageByDayQuery,
  usageByProjectQuery,
} from '../../data/billing';
import { useMay, useOrganization } from '../../data/me';
import { useProjectNames } from '../../data/names';
import { rowsOf } from '../../data/paged';
import { projectsQuery } from '../../data/projects';
import { pathTo } from '../../paths';
import { ButtonLink } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Figure } from '../../ui/figure';
import { Loaded } from '../../ui/loaded';
import { MeterBar } from '../../ui/meter-bar';
import { MonthChoice, monthName, useMonth } from '../../ui/month';
import { NotForRole } from '../../ui/not-for-role';
import { Page, Section } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { Table } from '../../ui/table';
import { Ago } from '../../ui/time';
import { METERS } from '../../data/meters';

interface Params {
  readonly org: string;
}

const COUNT = new Intl.NumberFormat('en');
/** Plans count storage in powers of two. */
const GIB = 1_073_741_824;

export function prepare({ org }: Params): void {
  const month = lastMonths(1)[0]!;
  queries.query(forecastQuery(org)).catch(ignore);
  queries.query(usageByDayQuery(org, month)).catch(ignore);
}

/** What was used, what it cost, and how much is left. */
export function Screen({ org }: Params): ReactNode {
  const mayRead = useMay(org, 'billing:read');
  return (
    <Page
      title="Usage"
      actions={mayRead && <ButtonLink href={pathTo('billing', { org })}>Plan and invoices</ButtonLink>}
    >
      {mayRead ? <Money org={org} /> : <NotForRole />}
    </Page>
  );
}

function Money({ org }: Params): ReactNode {
  const month = useMonth();
  const forecast = useQuery(forecastQuery(org));
  const cap = useQuery(spendCapQuery(org));
  return (
    <>
      <Loaded query={forecast}>{(data) => <Now forecast={data} cap={cap.data} />}</Loaded>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-lg font-semibold">Cost in {monthName(month)}</h2>
        <MonthChoice path={pathTo('usage', { org })} month={month} />
      </div>
      <ByDay org={org} month={month} />
      <ByProject org={org} month={month} />
      <Limits org={org} forecast={forecast.data} />
    </>
  );
}

/** The four numbers that matter today. */
function Now({ forecast, cap }: { readonly forecast: Forecast; readonly cap: SpendCap | undefined }): ReactNode {
  const { calls, credits, month } = forecast;
  return (
    <dl className="mb-8 grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
      <Figure label="Cost this month" value={money(Number(month.cost))}>
        {money(Number(month.projected_cost))} by the end of the month, at the rate of the last 24 hours
      </Figure>
      <Figure label="Credits left" value={money(Number(credits.balance))}>
        {credits.run_out_at === undefined ? (
          'They last, at the rate of the last 24 hours'
        ) : (
          <>
            {Number(credits.balance) > 0 ? (
              <>
                Used up <Ago at={credits.run_out_at} />
              </>
            ) : (
              'Used up'
            )}
          </>
        )}
        {Number(credits.held) > 0 && `; ${money(Number(credits.held))} held for running work`}
      </Figure>
      <Figure label="Calls left today" value={calls.remaining === null ? 'No limit' : COUNT.format(calls.remaining)}>
        {calls.limit !== null && `${COUNT.format(calls.used ?? 0)} of ${COUNT.format(calls.limit)} used. `}
        {calls.run_out_at === undefined ? (
          <>
            A new day begins <Ago at={calls.resets_at} />
          </>
        ) : (
          <>
            Used up <Ago at={calls.run_out_at} />
          </>
        )}
      </Figure>
      <Figure
        label="Spend cap"
        value={cap === undefined ? '…' : cap.amount === null ? 'None' : money(Number(cap.amount))}
      >
        {cap !== undefined && `${money(Number(cap.billed))} beyond the credits this month`}
      </Figure>
    </dl>
  );
}

function ByDay({ org, month }: { readonly org: string; readonly month: string }): ReactNode {
  const usage = useQuery(usageByDayQuery(org, month));
  const data = usage.data;
  const picture = useMemo(() => (data === undefined ? undefined : byDay(data.data, month)), [data, month]);
  return (
    <div className="mb-8">
      <Loaded query={usage}>
        {() =>
          picture === undefined || picture.series.length === 0 ? (
            <Empty icon="usage" title="Nothing was used">
              Runs of the sandbox, storage and AI appear here within a minute, with what they cost.
            </Empty>
          ) : (
            <Chart
              label={`Cost by day and meter in ${monthName(month)}`}
              times={picture.times}
              series={picture.series}
              unit="money"
              step="day"
              kind="bars"
            />
          )
        }
      </Loaded>
    </div>
  );
}

/** One series for each meter that was used, with all days of the month, up to today. */
function byDay(
  rows: readonly Usage[],
  month: string,
): { readonly times: string[]; readonly series: { readonly name: string; readonly values: number[] }[] } {
  const times = daysOf(month);
  const meters = [...new Set(rows.map(({ meter }) => meter))];
  return {
    times,
    series: meters.map((meter) => {
      const costs = new Map(rows.filter((row) => row.meter === meter).map(({ day, cost }) => [day, Number(cost)]));
      return { name: METERS[meter], values: times.map((day) => costs.get(day) ?? 0) };
    }),
  };
}

function ByProject({ org, month }: { readonly org: string; readonly month: string }): ReactNode {
  const usage = useQuery(usageByProjectQuery(org, month));
  const names = useProjectNames(org);
  const rows = usage.data?.data.toSorted((a, b) => Number(b.cost) - Number(a.cost)) ?? [];
  if (rows.length === 0) return null;
  return (
    <Section title="By project and meter" hint={`${money(Number(usage.data!.meta.cost))} in all.`}>
      <Table
        label="Cost by project and meter"
        rows={rows}
        keyOf={({ meter, model = '', project_id: project = '' }) => `${meter} ${model} ${project}`}
        columns={[
          {
            title: 'Project',
            cell: ({ project_id: project }) =>
              project === undefined ? (
                <span className="text-muted">Outside of projects</span>
              ) : (
                <ScreenLink to="project" params={{ org, project }} className="link">
                  {names.get(project) ?? project}
                </ScreenLink>
              ),
          },
          {
            title: 'Meter',
            cell: ({ meter, model }) => (
              <>
                {METERS[meter]}
                {model !== undefined && <code className="text-muted block font-mono text-xs">{model}</code>}
              </>
            ),
          },
          { title: 'Quantity', wideOnly: true, numeric: true, cell: ({ display_quantity: quantity }) => quantity },
          { title: 'Cost', numeric: true, cell: ({ cost }) => money(Number(cost)) },
        ]}
      />
    </Section>
  );
}

function Limits({ org, forecast }: { readonly org: string; readonly forecast: Forecast | undefined }): ReactNode {
  const organization = useOrganization(org);
  const plan = useQuery(plansQuery).data?.find(({ id }) => id === organization?.plan);
  const storage = useQuery(subscriptionQuery(org)).data?.storage;
  const projects = useInfiniteQuery(projectsQuery(org));
  if (plan === undefined) return null;
  const count = rowsOf(projects.data).length;
  const isWhole = projects.data !== undefined && !projects.hasNextPage;
  return (
    <Section title={`Limits of the plan ${plan.name}`}>
      <div className="card grid gap-5 p-4">
        {forecast !== undefined && (
          <MeterBar label="Calls today" used={forecast.calls.used ?? 0} limit={forecast.calls.limit}>
            {forecast.calls.limit === null
              ? 'No limit'
              : `${COUNT.format(forecast.calls.used ?? 0)} of ${COUNT.format(forecast.calls.limit)}`}
          </MeterBar>
        )}
        {projects.data !== undefined && (
          <MeterBar label="Projects" used={count} limit={plan.limits.projects}>
            {`${COUNT.format(count)}${isWhole ? '' : ' or more'}`}
            {plan.limits.projects === null ? ', no limit' : ` of ${COUNT.format(plan.limits.projects)}`}
          </MeterBar>
        )}
        {storage !== undefined && (
          <MeterBar label="Files of deploys" used={storage.used_bytes} limit={storage.limit_bytes}>
            {bytesOf(storage.used_bytes)} of {COUNT.format(storage.limit_bytes / GIB)} GiB
          </MeterBar>
        )}
      </div>
    </Section>
  );
}
