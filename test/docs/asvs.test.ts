import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/version.js';

/** The requirements of the levels 1 and 2 in ASVS 5.0.0, by chapter. */
const REQUIREMENTS = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7];
const LEVELS = { '1': 70, '2': 183 };
const STATES = ['Met', 'Not met', 'Not applicable'];
/** A path with the titles that are named in it: `test/auth/keys.test.ts`: "one", "another". */
const NAMED = /`((?:test|src|web|deploy|scripts)\/[^`\s]+)`((?:[:,] "[^"]+")*)/g;

interface Row {
  readonly chapter: number;
  readonly number: string;
  readonly level: string;
  readonly asks: string;
  readonly state: string;
  readonly shown: string;
}

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const rowsIn = (path: string): string[][] =>
  read(path)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );

const ROWS: readonly Row[] = rowsIn('docs/security/asvs.md')
  .filter(([number = '']) => /^\d+\.\d+\.\d+$/.test(number))
  .map(([number = '', level = '', asks = '', state = '', shown = '', ...more]) => {
    if (more.length > 0) throw new Error(`The row ${number} has too many cells.`);
    return { chapter: Number(number.split('.')[0]), number, level, asks, state, shown };
  });

const countsOf = (rows: readonly Row[]): string[] =>
  STATES.map((each) => String(rows.filter(({ state }) => state === each).length));

describe('docs/security/asvs.md', () => {
  it('has every requirement of the levels 1 and 2 once, in order', () => {
    expect(REQUIREMENTS.map((_, index) => ROWS.filter(({ chapter }) => chapter === index + 1).length)).toEqual(
      REQUIREMENTS,
    );
    for (const [level, count] of Object.entries(LEVELS))
      expect([level, ROWS.filter((row) => row.level === level).length]).toEqual([level, count]);
    const weights = ROWS.map(({ number }) =>
      number.split('.').reduce((weight, part) => weight * 1_000 + Number(part), 0),
    );
    expect(weights).toEqual([...new Set(weights)].sort((one, other) => one - other));
  });

  it('has a state and what shows it in every row', () => {
    const incomplete = ROWS.filter(
      ({ asks, state, shown }) => asks === '' || !STATES.includes(state) || shown.length < 5,
    );
    expect(incomplete).toEqual([]);
    // What is met names a file, a page, or another row that does.
    const unproven = ROWS.filter(({ state, shown }) => state === 'Met' && !/`[^`]+\/[^`]+`|\]\(|^As \d/.test(shown));
    expect(unproven).toEqual([]);
  });

  it('names only files that exist, and titles that are in them', () => {
    const faults = ROWS.flatMap(({ number, shown }) =>
      [...shown.matchAll(NAMED)].flatMap(([, path = '', titles = '']) => {
        if (!existsSync(join(PROJECT_ROOT, path))) return [`${number}: ${path}`];
        const named = [...titles.matchAll(/"([^"]+)"/g)].map(([, title]) => title!);
        const text = named.length === 0 ? '' : read(path);
        return named
          .filter((title) => !["'", '"', '`'].some((quote) => text.includes(quote + title + quote)))
          .map((title) => `${number}: ${path} has no "${title}"`);
      }),
    );
    expect(faults).toEqual([]);
    expect(
      [
        ...ROWS.map(({ shown }) => shown)
          .join('\n')
          .matchAll(NAMED),
      ].length,
    ).toBeGreaterThan(200);
  });
});

describe('the summary in docs/security.md', () => {
  const summary = new Map(
    rowsIn('docs/security.md')
      .filter((cells) => cells.length === 4)
      .map(([name = '', ...counts]) => [name.replace(/^\[(.*)\]\(.*\)$/, '$1'), counts]),
  );

  it('agrees with the rows', () => {
    const headings = [...read('docs/security/asvs.md').matchAll(/^## (V(\d+) .*)$/gm)];
    expect(headings).toHaveLength(REQUIREMENTS.length);
    for (const [, name = '', chapter] of headings)
      expect([name, summary.get(name)]).toEqual([
        name,
        countsOf(ROWS.filter((row) => row.chapter === Number(chapter))),
      ]);
    for (const level of Object.keys(LEVELS))
      expect([level, summary.get(`Level ${level}`)]).toEqual([
        level,
        countsOf(ROWS.filter((row) => row.level === level)),
      ]);
    expect(summary.get('All')).toEqual(countsOf(ROWS));
  });
});
