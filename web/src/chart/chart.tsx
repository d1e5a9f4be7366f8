import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Table } from '../ui/table';
import { lookOf } from './looks';
import type { ChartProps } from './series';
import type { Plot as PlotOf } from './plot';
import { pointName } from './times';
import { inUnit, type Unit } from './units';

const loadPlot = async (): Promise<{ default: typeof PlotOf }> => ({ default: (await import('./plot')).Plot });
const Plot = lazy(loadPlot);
// A screen with a chart needs the plot as soon as its figures have arrived, so that both are fetched at once.
loadPlot().catch(() => undefined);

/** Series over time with a legend, and the same figures as a table. The plot itself is code of its own. */
export function Chart(props: ChartProps): ReactNode {
  const { label, times, series, unit, step = 'moment' } = props;
  const [at, setAt] = useState<number>();
  const [open, setOpen] = useState(false);
  const pointed = at !== undefined && at < times.length ? at : undefined;
  return (
    <figure className="card p-4">
      <div className="mb-3 flex min-h-6 flex-wrap items-center gap-x-5 gap-y-1 text-sm">
        {series.map(({ name, values }, index) => (
          <span key={name} className="inline-flex items-center gap-2">
            <svg width="12" height="12" aria-hidden="true">
              <rect
                width="12"
                height="12"
                rx="3"
                style={{ fill: `var(${lookOf(index).colour})` }}
                opacity={lookOf(index).strength}
              />
            </svg>
            {name}
            {pointed !== undefined && <b className="font-medium tabular-nums">{shown(values[pointed], unit)}</b>}
          </span>
        ))}
        <span className="text-muted ml-auto tabular-nums">
          {pointed !== undefined && pointName(times[pointed]!, step)}
        </span>
      </div>
      <div className="h-56" role="img" aria-label={`${label}. The table below has the figures.`}>
        <Suspense fallback={<div className="skeleton h-56" />}>
          <Plot {...props} step={step} onPoint={setAt} />
        </Suspense>
      </div>
      <details
        className="mt-2"
        onToggle={(event) => {
          setOpen(event.currentTarget.open);
        }}
      >
        <summary className="text-muted hover:text-ink min-h-6 w-fit text-sm">Show the figures as a table</summary>
        {open && (
          <div className="mt-2">
            <Table
              label={label}
              rows={times.map((time, index) => ({ time, index }))}
              keyOf={({ time }) => time}
              columns={[
                { title: step === 'day' ? 'Day' : 'Time', cell: ({ time }) => pointName(time, step) },
                ...series.map(({ name, values }) => ({
                  title: name,
                  cell: ({ index }: { readonly index: number }) => shown(values[index], unit),
                })),
              ]}
            />
          </div>
        )}
      </details>
    </figure>
  );
}

const shown = (value: number | null | undefined, unit: Unit): string => (value == null ? '–' : inUnit(value, unit));
