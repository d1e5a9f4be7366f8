import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../platform/version.js';
import { METERS } from '../meter.js';
import { newVersionsIn } from './price-changes.js';
import { readPriceList } from './price-list.js';

const directory = mkdtempSync(join(tmpdir(), 'prices-'));
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

function read(text: string) {
  const path = join(directory, 'prices.yml');
  writeFileSync(path, text);
  return readPriceList(path);
}
const FROM = 'from: 2026-01-01T00:00:00Z';

describe('a list of prices', () => {
  it('is read exactly, as YAML or JSON', () => {
    const version = {
      id: 'a',
      book: 'standard',
      meter: 'sandbox_compute',
      model: null,
      priceNano: 123_456_789n,
      from: new Date('2026-01-01'),
    };
    expect(read(`prices: [{ id: a, meter: sandbox_compute, ${FROM}, usd: "0.123456789" }]`).versions).toEqual([
      version,
    ]);
    expect(
      read('{"prices":[{"id":"a","meter":"sandbox_compute","from":"2026-01-01T00:00:00Z","usd":"0.123456789"}]}')
        .versions,
    ).toEqual([version]);
  });

  it('ships with prices for every meter', () => {
    const { versions: listed } = readPriceList(join(PROJECT_ROOT, 'deploy', 'prices.yml'));
    expect(new Set(listed.map(({ meter }) => meter))).toEqual(new Set(METERS));
  });

  it('has books of prices for organizations', () => {
    const { versions, books } = read(`
      books: [{ id: partner, organizations: [org_1, org_2] }, { id: school, organizations: [] }]
      prices:
        - { id: a, meter: sandbox_compute, ${FROM}, usd: "2" }
        - { id: b, book: partner, meter: sandbox_compute, ${FROM}, usd: "1" }`);
    expect(versions.map(({ id, book }) => [id, book])).toEqual([
      ['a', 'standard'],
      ['b', 'partner'],
    ]);
    expect([...books]).toEqual([
      ['org_1', 'partner'],
      ['org_2', 'partner'],
    ]);
  });

  it.each([
    ['a book twice', 'books: [{ id: x, organizations: [] }, { id: x, organizations: [] }]', /x is listed twice/],
    [
      'an organization with two books',
      'books: [{ id: x, organizations: [org_1] }, { id: y, organizations: [org_1] }]',
      /org_1 is listed twice/,
    ],
    ['the standard book', 'books: [{ id: standard, organizations: [] }]', /books\[0\]: id must be/],
    ['names in place of ids', 'books: [{ id: x, organizations: [acme] }]', /books\[0\]: organizations must be/],
    ['an unknown field', 'books: [{ id: x, organizations: [], plans: [] }]', /plans is not a field of a book/],
    ['no list', 'books: x', /books must be a list/],
  ])('refuses %s', (_, books, fault) => {
    expect(() => read(`${books}\nprices: [{ id: a, meter: sandbox_compute, ${FROM}, usd: "1" }]`)).toThrow(fault);
  });

  it('refuses a price in a book that is not listed', () => {
    expect(() => read(`prices: [{ id: a, book: x, meter: sandbox_compute, ${FROM}, usd: "1" }]`)).toThrow(
      'a is in the book x, which is not listed',
    );
  });

  it('reports all faults at once', () => {
    expect(() =>
      read(`prices:
      - { id: A, meter: time, from: today, usd: 0.1 }
      - { id: b, meter: ai_tokens, ${FROM}, usd: "-1" }
      - { id: c, meter: sandbox_compute, model: x, ${FROM}, usd: "0.0000000001", colour: red }`),
    ).toThrow(
      new RegExp(
        ['0.: id', '0.: meter', '0.: from', '0.: usd', '1.: model', '1.: usd', '2.: colour', '2.: model', '2.: usd']
          .map((fault) => String.raw`prices\[${fault} `)
          .join('[^]*'),
      ),
    );
    expect(() =>
      read(
        `prices: [{ id: a, meter: sandbox_compute, ${FROM}, usd: "1" }, ` +
          `{ id: a, meter: sandbox_compute, ${FROM}, usd: "2" }]`,
      ),
    ).toThrow(/a is listed twice\n {2}sandbox_compute from 2026-01-01T00:00:00.000Z is listed twice/);
    expect(() => read('prices: []')).toThrow('it must have a list `prices`');
    expect(() => read('- 1')).toThrow('it must have a list `prices`');
    expect(() => read('{')).toThrow('Cannot read prices');
    expect(() => readPriceList(join(directory, 'absent'))).toThrow('Cannot read prices');
  });
});

describe('prices that change', () => {
  const now = new Date('2026-06-01T00:00:00Z');
  const old = {
    book: 'standard',
    id: 'old',
    meter: 'sandbox_compute',
    model: null,
    priceNano: 1n,
    from: new Date('2026-01-01'),
  } as const;

  it.each([
    ['a first price, even one that began long ago', [], [old], 1, undefined],
    ['what is there already', [old], [old], 0, undefined],
    ['nothing where a version is left out', [old], [], 0, undefined],
    [
      'a new price that begins soon',
      [old],
      [old, { ...old, id: 'new', priceNano: 2n, from: new Date('2026-06-01T00:05:00Z') }],
      1,
      undefined,
    ],
    ['the price of another model', [old], [{ ...old, id: 'new', meter: 'ai_tokens', model: 'x:input' }], 1, undefined],
    [
      'no other price under the same id',
      [old],
      [{ ...old, priceNano: 2n }],
      0,
      /old was .* 1 nano-dollars .* is now .* 2 nano-dollars/,
    ],
    [
      'no other time under the same id',
      [old],
      [{ ...old, from: new Date('2026-02-01') }],
      0,
      /a version never changes/,
    ],
    [
      'no new price of what was used already',
      [old],
      [{ ...old, id: 'new', from: new Date('2026-05-31') }],
      0,
      /at least 5 minutes from now/,
    ],
    ['no second price of one time', [old], [{ ...old, id: 'new' }], 0, /begins at the same time as old/],
  ] as const)('add %s', (_, there, listed, fresh, fault) => {
    const compared = newVersionsIn(listed, there, now);
    expect(compared.fresh).toHaveLength(fresh);
    if (fault === undefined) expect(compared.faults).toEqual([]);
    else expect(compared.faults).toEqual([expect.stringMatching(fault)]);
  });
});
