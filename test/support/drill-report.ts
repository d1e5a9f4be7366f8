import { appendFileSync } from 'node:fs';

/** A row of the table that `npm run drill` or `npm run bench:cluster` prints at the end. */
export interface DrillRow {
  readonly drill: string;
  readonly count: string;
  readonly figures: string;
  readonly seconds?: number;
  /** Left out by tests that report only what has held. */
  readonly verdict?: 'held' | 'missed';
}

/** Reports a measurement to the command that shows it. It does nothing when the test runs by itself. */
export function reportDrill(row: DrillRow): void {
  const path = process.env['DRILL_REPORT'];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(row)}\n`);
}
