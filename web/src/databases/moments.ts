/** The moments that a database can be restored to, in milliseconds. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

const SECOND_MS = 1_000;

/** The span in whole seconds, within what can be restored; undefined where nothing can be. */
export function spanOf(restorable: { readonly from: string | null; readonly until: string | null }): Span | undefined {
  if (restorable.from === null || restorable.until === null) return undefined;
  const from = Math.ceil(Date.parse(restorable.from) / SECOND_MS) * SECOND_MS;
  const until = Math.floor(Date.parse(restorable.until) / SECOND_MS) * SECOND_MS;
  return Number.isNaN(from) || Number.isNaN(until) || until < from ? undefined : { from, until };
}

export const clamped = (at: number, { from, until }: Span): number => Math.min(until, Math.max(from, at));

/** `2026-11-23T15:00:07`, as the field for times has it: in the zone of the browser, with seconds. */
export function localTime(at: number): string {
  const time = new Date(at);
  return new Date(at - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The step of a slider: a hundredth of a span is fine enough for a hand, and the field beside it is exact. */
export function stepOf({ from, until }: Span): number {
  const steps = [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600].map((seconds) => seconds * SECOND_MS);
  return steps.find((step) => (until - from) / step <= 500) ?? steps.at(-1)!;
}
