import { type ReactNode, useEffect, useState } from 'react';

const AGO = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const FULL = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];
const EVERY_MS = 20_000;

/** How long ago it was, or how long it takes until then. The full time is its title. */
export function Ago({ at }: { readonly at: string }): ReactNode {
  useTick(EVERY_MS);
  const seconds = Math.round((Date.parse(at) - Date.now()) / 1000);
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? UNITS.at(-1)!;
  return (
    <time dateTime={at} title={FULL.format(new Date(at))}>
      {AGO.format(Math.trunc(seconds / size), unit)}
    </time>
  );
}

/** When something happened or happens, in a table; `Never` without a time. */
export function When({ at }: { readonly at: string | null }): ReactNode {
  return <span className="text-muted whitespace-nowrap">{at === null ? 'Never' : <Ago at={at} />}</span>;
}

/** `12 s`, or `3 min 4 s`; up to now where there is no end yet. */
export function Duration({ from, to }: { readonly from: string; readonly to?: string | undefined }): ReactNode {
  useTick(to === undefined ? 1_000 : undefined);
  return (
    <span className="tabular-nums">
      {durationOf((to === undefined ? Date.now() : Date.parse(to)) - Date.parse(from))}
    </span>
  );
}

/** `12 s`, or `3 min 4 s`. */
export function durationOf(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

function useTick(everyMs: number | undefined): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      setTick((tick) => tick + 1);
    }, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, [everyMs]);
}
