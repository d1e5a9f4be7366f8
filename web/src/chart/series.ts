import type { Step } from './times';
import type { Unit } from './units';

export interface Series {
  readonly name: string;
  /** One for each time; null where nothing was measured. */
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  /** What the chart shows, for people who do not see it, and for its table. */
  readonly label: string;
  /** RFC 3339, ascending. */
  readonly times: readonly string[];
  readonly series: readonly Series[];
  readonly unit: Unit;
  readonly step?: Step;
  /** Lines beside each other, or bars on top of each other where the sum matters. */
  readonly kind?: 'lines' | 'bars';
}
