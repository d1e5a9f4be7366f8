import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { parseUsd } from '../../../platform/money/nano-dollars.js';
import { isModelOf, type Meter, METERS, MODEL_RULE } from '../meter.js';
import { type PriceVersion, STANDARD_BOOK } from './price-version.js';

const ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/;
const FIELDS = new Set(['id', 'book', 'meter', 'model', 'from', 'usd']);
const FIELDS_OF_BOOK = new Set(['id', 'organizations']);
const ORGANIZATION = /^org_[a-z0-9]{1,60}$/;

type Fields = Readonly<Record<string, unknown>>;

/** The prices of the operator, and the organizations that have prices of their own. */
export interface PriceList {
  readonly versions: readonly PriceVersion[];
  /** The book of each organization by its id. All others have the standard book. */
  readonly books: ReadonlyMap<string, string>;
}

/** @throws {Error} with the path of the file and all of its faults. */
export function readPriceList(path: string): PriceList {
  let content: unknown;
  try {
    content = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`Cannot read prices from ${path}: ${(error as Error).message}`);
  }
  const faults: string[] = [];
  const versions = versionsOf(content, faults);
  const books = booksOf((content as Fields | null)?.['books'], faults);
  const named = new Set(books.map(({ id }) => id));
  for (const { id, book } of versions)
    if (book !== STANDARD_BOOK && !named.has(book)) faults.push(`${id} is in the book ${book}, which is not listed`);
  if (faults.length > 0) throw new Error(`Invalid prices in ${path}:\n  ${faults.join('\n  ')}`);
  return { versions, books: new Map(books.flatMap(({ id, organizations }) => organizations.map((org) => [org, id]))) };
}

interface Book {
  readonly id: string;
  readonly organizations: readonly string[];
}

function booksOf(listed: unknown, faults: string[]): Book[] {
  if (listed === undefined) return [];
  if (!Array.isArray(listed)) {
    faults.push('books must be a list');
    return [];
  }
  const books = listed.flatMap((entry: unknown, index) => {
    const fields = typeof entry === 'object' && entry !== null ? (entry as Fields) : {};
    const own = faultsOfBook(fields);
    faults.push(...own.map((fault) => `books[${index}]: ${fault}`));
    return own.length === 0 ? [fields as unknown as Book] : [];
  });
  for (const names of [books.map(({ id }) => id), books.flatMap(({ organizations }) => organizations)])
    faults.push(...repeated(names).map((name) => `${name} is listed twice`));
  return books;
}

function faultsOfBook({ id, organizations, ...rest }: Fields): string[] {
  const faults = Object.keys(rest)
    .filter((name) => !FIELDS_OF_BOOK.has(name))
    .map((name) => `${name} is not a field of a book`);
  if (typeof id !== 'string' || !ID.test(id) || id === STANDARD_BOOK)
    faults.push(`id must be 1 to 64 of a-z, 0-9, ".", "_" and "-", and not ${STANDARD_BOOK}`);
  if (!Array.isArray(organizations) || !organizations.every((org) => ORGANIZATION.test(String(org))))
    faults.push('organizations must be a list of their ids, such as org_01k9');
  return faults;
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

function faultsOf({ id, book, meter, model, from, usd, ...rest }: Fields): string[] {
  const faults: string[] = Object.keys(rest)
    .filter((name) => !FIELDS.has(name))
    .map((name) => `${name} is not a field of a price`);
  if (typeof id !== 'string' || !ID.test(id)) faults.push('id must be 1 to 64 of a-z, 0-9, ".", "_" and "-"');
  if (book !== undefined && (typeof book !== 'string' || !ID.test(book))) faults.push('book must be the id of a book');
  if (!METERS.includes(meter as Meter)) faults.push(`meter must be one of ${METERS.join(', ')}`);
  else if (!isModelOf(meter as Meter, model as string | undefined)) faults.push(MODEL_RULE);
  if (typeof from !== 'string' || !TIME.test(from) || Number.isNaN(Date.parse(from)))
    faults.push('from must be a time in UTC, such as 2026-01-01T00:00:00Z');
  if (typeof usd !== 'string' || nanoOf(usd) === undefined)
    faults.push('usd must be a quoted decimal with at most nine places, such as "0.05"');
  return faults;
}

const versionOf = ({ id, book, meter, model, from, usd }: Fields): PriceVersion => ({
  id: id as string,
  book: (book as string | undefined) ?? STANDARD_BOOK,
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
const placeOf = ({ book, meter, model, from }: PriceVersion): string =>
  [
    ...(book === STANDARD_BOOK ? [] : [book]),
    meter,
    ...(model === null ? [] : [model]),
    'from',
    from.toISOString(),
  ].join(' ');
const repeated = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];
