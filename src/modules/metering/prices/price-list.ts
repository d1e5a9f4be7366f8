import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { parseUsd } from '../../../platform/money/nano-dollars.js';
import { isModelOf, type Meter, METERS, MODEL_RULE } from '../meter.js';
import type { PriceVersion } from './price-version.js';

const ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/;
const FIELDS = new Set(['id', 'meter', 'model', 'from', 'usd']);

type Fields = Readonly<Record<string, unknown>>;

/** @throws {Error} with the path of the file and all of its faults. */
export function readPriceList(path: string): PriceVersion[] {
  let content: unknown;
  try {
    content = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`Cannot read prices from ${path}: ${(error as Error).message}`);
  }
  const faults: string[] = [];
  const versions = versionsOf(content, faults);
  if (faults.length > 0) throw new Error(`Invalid prices in ${path}:\n  ${faults.join('\n  ')}`);
  return versions;
}

function versionsOf(content: unknown, faults: string[]): PriceVersion[] {
  const listed = (content as Fields | null)?.['prices'];
  if (!Array.isArray(listed) || listed.length === 0) {
    faults.push('it must have a list `prices`');
    return [];
  }
  const versions = listed.flatMap((entry: unknown, index) => {
    const fields = typeof entry === 'object' && entry !== null ? (entry as Fields) : {};
    const own = faultsOf(fields);
    faults.push(...own.map((fault) => `prices[${index}]: ${fault}`));
    return own.length === 0 ? [versionOf(fields)] : [];
  });
  for (const what of [idOf, placeOf])
    faults.push(...repeated(versions.map(what)).map((name) => `${name} is listed twice`));
  return versions;
}

function faultsOf({ id, meter, model, from, usd, ...rest }: Fields): string[] {
  const faults: string[] = Object.keys(rest)
    .filter((name) => !FIELDS.has(name))
    .map((name) => `${name} is not a field of a price`);
  if (typeof id !== 'string' || !ID.test(id)) faults.push('id must be 1 to 64 of a-z, 0-9, ".", "_" and "-"');
  if (!METERS.includes(meter as Meter)) faults.push(`meter must be one of ${METERS.join(', ')}`);
  else if (!isModelOf(meter as Meter, model as string | undefined)) faults.push(MODEL_RULE);
  if (typeof from !== 'string' || !TIME.test(from) || Number.isNaN(Date.parse(from)))
    faults.push('from must be a time in UTC, such as 2026-01-01T00:00:00Z');
  if (typeof usd !== 'string' || nanoOf(usd) === undefined)
    faults.push('usd must be a quoted decimal with at most nine places, such as "0.05"');
  return faults;
}

const versionOf = ({ id, meter, model, from, usd }: Fields): PriceVersion => ({
  id: id as string,
  meter: meter as Meter,
  model: (model as string | undefined) ?? null,
  priceNano: nanoOf(usd as string)!,
  from: new Date(from as string),
});

function nanoOf(usd: string): bigint | undefined {
  try {
    const nano = parseUsd(usd);
    return nano < 0n ? undefined : nano;
  } catch {
    return undefined;
  }
}

const idOf = ({ id }: PriceVersion): string => id;
const placeOf = ({ meter, model, from }: PriceVersion): string =>
  [meter, ...(model === null ? [] : [model]), 'from', from.toISOString()].join(' ');
const repeated = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];
