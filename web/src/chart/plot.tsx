import 'uplot/dist/uPlot.min.css';
import { type ReactNode, useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { lookOf } from './looks';
import type { ChartProps, Series } from './series';
import { axisNames, type Step } from './times';
import { onAxis } from './units';

const HEIGHT = 224;
const FONT = '12px "Geist Variable", system-ui, sans-serif';
const DAY_SECONDS = 86_400;

interface PlotProps extends ChartProps {
  readonly step: Step;
  /** The index of the point under the pointer. */
  readonly onPoint: (index: number | undefined) => void;
}

/** The picture. It is drawn again when the theme or the room changes. */
export function Plot({ times, series, unit, step, kind = 'lines', onPoint }: PlotProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // React takes the reference away before an effect is undone.
    const place = box.current!;
    let chart: UPlot | undefined;
    const seconds = times.map((time) => Date.parse(time) / 1_000);

    const draw = (): void => {
      chart?.destroy();
      const style = getComputedStyle(document.documentElement);
      const token = (name: string): string => style.getPropertyValue(name).trim();
      const axis: UPlot.Axis = {
        stroke: token('--muted'),
        grid: { stroke: token('--line'), width: 1 },
        ticks: { show: false },
        font: FONT,
      };
      const drawn = kind === 'bars' ? stacked(series) : series.map(({ values }, index) => ({ index, values }));
      const options: UPlot.Options = {
        width: place.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
        scales: {
          x: kind === 'bars' ? { time: true, range: () => roomForBars(seconds) } : { time: true },
          y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            values: (_, splits) => axisNames(splits, step),
            ...(step === 'day' && { splits: splitsOfDays(seconds) }),
          },
          { ...axis, size: 64, values: (_, splits) => splits.map((split) => onAxis(split, unit)) },
        ],
        series: [
          {},
          ...drawn.map(({ index }): UPlot.Series => {
            const { colour, strength } = lookOf(index);
            if (kind === 'lines')
              return { stroke: token(colour), alpha: strength, width: 2, points: { show: seconds.length < 2 } };
            return {
              // What lies behind shines through nothing.
              fill: strength === 1 ? token(colour) : token('--line-strong'),
              width: 0,
              points: { show: false },
              paths: UPlot.paths.bars!({ size: [0.7, 40] }),
            };
          }),
        ],
        hooks: {
          setCursor: [
            ({ cursor }) => {
              onPoint(cursor.idx ?? undefined);
            },
          ],
        },
      };
      chart = new UPlot(options, [seconds, ...drawn.map(({ values }) => [...values])], place);
    };

    draw();
    const size = new ResizeObserver(() => {
      chart?.setSize({ width: place.clientWidth, height: HEIGHT });
    });
    size.observe(place);
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', draw);
    return () => {
      size.disconnect();
      theme.disconnect();
      system.removeEventListener('change', draw);
      chart?.destroy();
    };
  }, [times, series, unit, step, kind, onPoint]);
  return <div ref={box} className="h-56 overflow-hidden" />;
}

/** Each series on top of those before it. The highest is drawn first, so that the others cover all but its own part. */
function stacked(series: readonly Series[]): { readonly index: number; readonly values: readonly number[] }[] {
  const sums: number[] = [];
  return series
    .map(({ values }, index) => ({
      index,
      values: values.map((value, at) => (sums[at] = (sums[at] ?? 0) + (value ?? 0))),
    }))
    .reverse();
}

/** A bar has half of its width on each side of its time. */
const roomForBars = (seconds: readonly number[]): UPlot.Range.MinMax => {
  const [first = 0, last = 0] = [seconds[0], seconds.at(-1)];
  const half = seconds.length > 1 ? (last - first) / (seconds.length - 1) / 2 : DAY_SECONDS / 2;
  return [first - half, last + half];
};

/** Labels stand at days that have a value, as many as there is room for. */
const splitsOfDays =
  (days: readonly number[]): UPlot.Axis.Splits =>
  (chart) => {
    const room = Math.max(2, Math.floor(chart.width / 70));
    const every = Math.max(1, Math.ceil(days.length / room));
    return days.filter((_, index) => index % every === 0);
  };
