import type { PriceVersion } from './price-version.js';

/** How long before it is in force a new version of a price that exists must be there. */
const AHEAD_MS = 5 * 60_000;

interface Comparison {
  /** To be added. */
  readonly fresh: readonly PriceVersion[];
  readonly faults: readonly string[];
}

/** What a list of prices adds to those that are there already, and what of it would change how past usage is rated. */
export function newVersionsIn(listed: readonly PriceVersion[], there: readonly PriceVersion[], now: Date): Comparison {
  const byId = new Map(there.map((version) => [version.id, version]));
  const places = new Map(there.map((version) => [placeOf(version), version]));
  const priced = new Set(there.map(pairOf));
  const fresh: PriceVersion[] = [];
  const faults: string[] = [];
  for (const version of listed) {
    const known = byId.get(version.id);
    const taken = places.get(placeOf(version));
    if (known !== undefined) {
      if (!isSame(known, version))
        faults.push(
          `${version.id} was ${describe(known)} and is now ${describe(version)}: a version never changes, so give the new price a new id and a later "from"`,
        );
    } else if (taken !== undefined) {
      faults.push(`${version.id} begins when ${taken.id} does, which is there already`);
    } else if (priced.has(pairOf(version)) && version.from.getTime() < now.getTime() + AHEAD_MS) {
      faults.push(
        `${version.id} would be in force from ${version.from.toISOString()}: a new price of what has one already must begin at least 5 minutes from now`,
      );
    } else {
      fresh.push(version);
    }
  }
  return { fresh, faults };
}

const pairOf = ({ meter, model }: PriceVersion): string => `${meter} ${model ?? ''}`;
const placeOf = (version: PriceVersion): string => `${pairOf(version)} ${version.from.getTime()}`;
const isSame = (one: PriceVersion, other: PriceVersion): boolean =>
  placeOf(one) === placeOf(other) && one.priceNano === other.priceNano;
const describe = ({ meter, model, priceNano, from }: PriceVersion): string =>
  `${[meter, ...(model === null ? [] : [model])].join(' ')} at ${priceNano} nano-dollars from ${from.toISOString()}`;
