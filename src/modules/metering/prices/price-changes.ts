import { type PriceVersion, STANDARD_BOOK } from './price-version.js';

/** How far in the future a new version of an existing price must begin. */
const AHEAD_MS = 5 * 60_000;

interface Comparison {
  /** Versions to add. */
  readonly fresh: readonly PriceVersion[];
  readonly faults: readonly string[];
}

/**
 * Compares a price list with the stored versions: returns the new versions, and faults that would change the price of
 * past usage.
 */
export function newVersionsIn(listed: readonly PriceVersion[], stored: readonly PriceVersion[], now: Date): Comparison {
  const byId = new Map(stored.map((version) => [version.id, version]));
  const places = new Map(stored.map((version) => [placeOf(version), version]));
  const priced = new Set(stored.map(pairOf));
  const fresh: PriceVersion[] = [];
  const faults: string[] = [];
  for (const version of listed) {
    const known = byId.get(version.id);
    const taken = places.get(placeOf(version));
    if (known !== undefined) {
      if (!isSame(known, version))
        faults.push(
          `${version.id} was ${describe(known)} and is now ${describe(version)}: ` +
            'a version never changes, so give the new price a new id and a later "from"',
        );
    } else if (taken !== undefined) {
      faults.push(`${version.id} begins at the same time as ${taken.id}, which exists already`);
    } else if (priced.has(pairOf(version)) && version.from.getTime() < now.getTime() + AHEAD_MS) {
      faults.push(
        `${version.id} begins at ${version.from.toISOString()}: ` +
          'a new version of an existing price must begin at least 5 minutes from now',
      );
    } else {
      fresh.push(version);
    }
  }
  return { fresh, faults };
}

const pairOf = ({ book, meter, model }: PriceVersion): string => `${book} ${meter} ${model ?? ''}`;
const placeOf = (version: PriceVersion): string => `${pairOf(version)} ${version.from.getTime()}`;
const isSame = (one: PriceVersion, other: PriceVersion): boolean =>
  placeOf(one) === placeOf(other) && one.priceNano === other.priceNano;
const describe = ({ book, meter, model, priceNano, from }: PriceVersion): string => {
  const place = [...(book === STANDARD_BOOK ? [] : [book]), meter, ...(model === null ? [] : [model])].join(' ');
  return `${place} at ${priceNano} nano-dollars from ${from.toISOString()}`;
};
