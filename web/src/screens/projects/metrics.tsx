import type { AppMetrics, AppMetricsQuery } from '@service/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { api, ignore, queries } from '../../api';
import { Chart } from '../../chart/chart';
import { inUnit } from '../../chart/units';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { Section } from '../../ui/page';
import { ProjectFrame, type ProjectParams } from './project-frame';

interface Span {
  readonly name: string;
  readonly hours: number;
  readonly step: NonNullable<AppMetricsQuery['step']>;
}

const SPANS: Readonly<Record<string, Span>> = {
  hour: { name: 'Hour', hours: 1, step: 60 },
  day: { name: 'Day', hours: 24, step: 900 },
  week: { name: 'Week', hours: 168, step: 21_600 },
};
const EVERY_MS = 30_000;

const metricsQuery = (project: string, span: Span) =>
  queryOptions({
    queryKey: ['project', project, 'metrics', span.name],
    queryFn: ({ signal }) =>
      api.projects.metrics(
        project,
        { from: new Date(Date.now() - span.hours * 3_600_000).toISOString(), step: span.step },
        { signal },
      ),
    refetchInterval: EVERY_MS,
  });

export function prepare({ project }: ProjectParams): void {
  queries.query(metricsQuery(project, SPANS['hour']!)).catch(ignore);
}

/** How the servers of a project do. The span is in the address. */
export function Screen({ org, project }: ProjectParams): ReactNode {
  const [search, setSearch] = useSearchParams();
  const chosen = search.get('span') ?? '';
  const span = SPANS[chosen] ?? SPANS['hour']!;
  const metrics = useQuery(metricsQuery(project, span));
  return (
    <ProjectFrame org={org} project={project} open="projectMetrics">
      <div role="group" aria-label="Span" className="mb-4 flex gap-1">
        {Object.entries(SPANS).map(([id, each]) => (
          <Button
            key={id}
            look={each === span ? 'plain' : 'quiet'}
            aria-pressed={each === span}
            onClick={() => {
              setSearch(id === 'hour' ? {} : { span: id }, { replace: true });
            }}
          >
            {each.name}
          </Button>
        ))}
      </div>
      <Loaded query={metrics}>
        {(found) =>
          found.points.length === 0 ? (
            <Empty icon="usage" title="Nothing was measured in this time">
              Requests to the servers of this project are counted here, within a minute. Static sites have no servers.
            </Empty>
          ) : (
            <Charts metrics={found} />
          )
        }
      </Loaded>
    </ProjectFrame>
  );
}

function Charts({ metrics }: { readonly metrics: AppMetrics }): ReactNode {
  const { times, points } = useMemo(() => inStepsOf(metrics), [metrics]);
  const series = useMemo(() => {
    const of = (value: (point: Point) => number | null, none: number | null): (number | null)[] =>
      points.map((point) => (point === undefined ? none : value(point)));
    return {
      requests: [
        { name: 'Requests', values: of(({ requests }) => requests, 0) },
        { name: 'Errors', values: of(({ errors }) => errors, 0) },
      ],
      times: [
        { name: '95th percentile', values: of(({ p95_ms: p95 }) => p95, null) },
        { name: 'Median', values: of(({ p50_ms: p50 }) => p50, null) },
      ],
      memory: [{ name: 'Most memory', values: of(({ memory_peak_bytes: peak }) => peak, null) }],
      restarts: [{ name: 'Restarts', values: of(({ restarts }) => restarts, 0) }],
    };
  }, [points]);
  const all = metrics.points;
  const requests = sum(all.map((point) => point.requests));
  const errors = sum(all.map((point) => point.errors));
  const restarts = sum(all.map((point) => point.restarts));
  return (
    <>
      <dl className="card mb-6 grid grid-cols-2 gap-4 p-4 sm:grid-cols-4">
        <Fact name="Requests" value={inUnit(requests, 'count')} />
        <Fact name="Errors" value={requests === 0 ? '–' : `${((100 * errors) / requests).toFixed(2)} %`} />
        <Fact name="Most memory" value={inUnit(Math.max(...all.map((point) => point.memory_peak_bytes)), 'bytes')} />
        <Fact name="Restarts" value={inUnit(restarts, 'count')} />
      </dl>
      <Section title="Requests and errors" hint="Errors are answers with a status of 500 or above.">
        <Chart label="Requests and errors over time" times={times} series={series.requests} unit="count" />
      </Section>
      <Section title="Time to the end of an answer">
        <Chart label="Time to the end of an answer over time" times={times} series={series.times} unit="ms" />
      </Section>
      <Section title="Memory of a server">
        <Chart label="Memory of a server over time" times={times} series={series.memory} unit="bytes" />
      </Section>
      <Section title="Restarts" hint="How often a server ended by itself.">
        <Chart label="Restarts over time" times={times} series={series.restarts} unit="count" kind="bars" />
      </Section>
    </>
  );
}

type Point = AppMetrics['points'][number];

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);

/** The API leaves out the steps in which nothing happened. */
function inStepsOf({ from, to, step, points }: AppMetrics): { times: string[]; points: (Point | undefined)[] } {
  const found = new Map(points.map((point) => [Date.parse(point.time), point]));
  const first = Math.floor(Date.parse(from) / (step * 1_000)) * step * 1_000;
  const steps = Math.ceil((Date.parse(to) - first) / (step * 1_000));
  const at = Array.from({ length: steps }, (_, index) => first + index * step * 1_000);
  return { times: at.map((each) => new Date(each).toISOString()), points: at.map((each) => found.get(each)) };
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    <div>
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="text-xl font-semibold">{value}</dd>
    </div>
  );
}
