import type { Histogram } from 'prom-client';

/** A value of a histogram as prom-client writes it to `/metrics`. */
interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * Observations of one set of labels, kept as plain numbers until `/metrics` reads them. An observation in prom-client
 * would cost more than serving a small file.
 */
export class HistogramCounts {
  /** How many values are in each bucket and in none below it; the last place is for values above all buckets. */
  private readonly places: number[];
  private total = 0;
  private sum = 0;

  /** @param buckets upper bounds, the lowest first. */
  constructor(private readonly buckets: readonly number[]) {
    this.places = new Array<number>(buckets.length + 1).fill(0);
  }

  get count(): number {
    return this.total;
  }

  observe(value: number): void {
    let place = 0;
    while (place < this.buckets.length && value > this.buckets[place]!) place++;
    this.places[place]!++;
    this.total++;
    this.sum += value;
  }

  /** Returns the samples in the format of a histogram, in which each bucket includes those below it. */
  samples(name: string, labels: Sample['labels']): Sample[] {
    if (this.total === 0) return [];
    let count = 0;
    const buckets = this.places.map((each, place) => ({
      metricName: `${name}_bucket`,
      labels: { le: this.buckets[place] ?? '+Inf', ...labels },
      value: (count += each),
    }));
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

/** Makes a histogram report `samples` in place of its own observations. */
export function reportAs(
  histogram: Histogram,
  { name, help }: { name: string; help: string },
  samples: () => readonly Sample[],
): void {
  const get = (): Promise<object> =>
    Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values: samples() });
  Object.assign(histogram, { get, getForPromString: get });
}
