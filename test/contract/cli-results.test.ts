import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { piecesOf, type PlainTable } from '../../client/src/html-tables.js';
import fc from 'fast-check';
import { indentedJson } from '../../cli/src/sandbox/json-text.js';
import { SavedResults } from '../../cli/src/sandbox/saved-results.js';
import { tableText } from '../../cli/src/sandbox/table-text.js';

/** What pandas 2.2 writes for a frame, without its attributes and styles. */
const FRAME = `<div><table border="1" class="dataframe"><thead><tr style="text-align: right;"><th></th><th>name</th>
<th>light_years</th></tr></thead><tbody><tr><th>0</th><td>Sirius</td><td>8.6</td></tr><tr><th>1</th><td>Vega</td>
<td>25.0</td></tr><tr><th>10</th><td>天狼星</td><td>NaN</td></tr></tbody></table><p>3 rows × 2 columns</p></div>`;

/** What pandas writes for columns and rows of two levels. */
const LEVELS = `<table><thead><tr><th></th><th></th><th colspan="2" halign="left">2025</th><th>2026</th></tr>
<tr><th></th><th></th><th>a</th><th>b</th><th>a</th></tr></thead><tbody>
<tr><th rowspan="2" valign="top">x</th><th>1</th><td>10</td><td>20</td><td>30</td></tr>
<tr><th>2</th><td>1</td><td>2</td><td>3</td></tr></tbody></table>`;

const tableIn = (html: string): PlainTable =>
  piecesOf(html).flatMap((piece) => ('table' in piece ? [piece.table] : []))[0]!;
const textOf = (html: string, columns = 80): string => tableText(tableIn(html), columns).text;

describe('a table on a terminal', () => {
  it('is aligned: numbers at the right, wide letters with their width', () => {
    expect(textOf(FRAME)).toBe(
      [
        '    name    light_years',
        '--  ------  -----------',
        ' 0  Sirius          8.6',
        ' 1  Vega           25.0',
        '10  天狼星          NaN',
      ].join('\n'),
    );
    expect(tableText(tableIn(FRAME), 80).isCut).toBe(false);
  });

  it('has cells of several columns and rows at their place', () => {
    expect(textOf(LEVELS)).toBe(
      [
        '      2025      2026',
        '         a   b     a',
        '-  -  ----  --  ----',
        'x  1    10  20    30',
        '   2     1   2     3',
      ].join('\n'),
    );
  });

  it('is cut to the width of the terminal, to what can be read of a cell, and to 100 rows', () => {
    const wide = `<table><tr>${Array.from({ length: 30 }, (_, at) => `<td>column${at}</td>`).join('')}</tr></table>`;
    expect(tableText(tableIn(wide), 40)).toEqual({ text: 'column0  column1  column2  column3  …', isCut: true });
    expect(tableText(tableIn(wide), 1)).toEqual({ text: '…  …', isCut: true });
    const long = tableText(tableIn(`<table><tr><td>${'x'.repeat(900)}<td>y</table>`), 200);
    expect(long).toEqual({ text: `${'x'.repeat(49)}…  y`, isCut: true });
    expect(textOf(`<table><tr><td>${'x'.repeat(50)}</table>`)).toBe('x'.repeat(50));
    const tall = tableText(tableIn(`<table>${'<tr><td>1</td></tr>'.repeat(150)}</table>`), 80);
    expect([tall.text.split('\n').length, tall.isCut]).toEqual([100, true]);
  });

  it('gives a terminal nothing to obey, and keeps to its width, whatever the program wrote', () => {
    const ugly = fc.constantFrom(
      '\u001B[2J',
      '\u001B]0;t\u0007',
      '\u009B31m',
      '\u202E',
      '\u2028',
      '\r',
      '\b',
      '\u200B',
    );
    const text = fc.array(fc.oneof(ugly, fc.string({ unit: 'binary' })), { maxLength: 5 });
    const cell = fc.record({
      text: text.map((parts) => parts.join('')),
      isHead: fc.boolean(),
      columns: fc.integer({ min: 1, max: 50 }),
      rows: fc.integer({ min: 1, max: 50 }),
    });
    const table = fc.record({
      rows: fc.array(fc.array(cell, { maxLength: 8 }), { maxLength: 8 }),
      isCut: fc.boolean(),
    });
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 200 }), (shown, columns) => {
        const { text: lines } = tableText(shown, columns);
        expect(lines).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u200B\u2028-\u202E\u2066-\u2069]/);
        expect(lines).not.toMatch(/\p{Surrogate}/u);
        // Rows, and a line below the headings.
        expect(lines.split('\n').length).toBeLessThanOrEqual(shown.rows.length + 1);
      }),
    );
  });

  it('takes little time, whatever its size', () => {
    const cells = '<td colspan=50 rowspan=50>'.concat('é\u0301👩‍👩‍👧'.repeat(100));
    const table = tableIn(`<table>${`<tr>${cells.repeat(50)}</tr>`.repeat(200)}</table>`);
    const full = tableIn(`<table>${`<tr>${`<td>${'👩‍👩‍👧'.repeat(125)}`.repeat(50)}</tr>`.repeat(200)}</table>`);
    const startMs = performance.now();
    tableText(table, 100_000);
    tableText(full, 100_000);
    expect(performance.now() - startMs).toBeLessThan(10_000);
  });
});

describe('JSON on a terminal', () => {
  it('is indented, and its values are unchanged', () => {
    expect(indentedJson('{"a": [1, 12345678901234567890, {}, [ ]], "b": "x: {\\"y\\", [", "c": {"d": null}}')).toBe(
      '{\n  "a": [\n    1,\n    12345678901234567890,\n    {},\n    []\n  ],\n  "b": "x: {\\"y\\", [",\n' +
        '  "c": {\n    "d": null\n  }\n}',
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        expect(JSON.stringify(JSON.parse(indentedJson(json)))).toBe(json);
      }),
    );
  });

  it('stays as it is if that would blow it up, or it is none', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    for (const text of [deep, '{"a":', '', `[${'1,'.repeat(60_000)}1]`]) expect(indentedJson(text)).toBe(text);
  });
});

describe('results that are saved', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'service-saved-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it('replace no file, and follow no link', async () => {
    writeFileSync(join(directory, 'result-1.png'), 'mine');
    symlinkSync('elsewhere', join(directory, 'result-2.png'));
    const saved = new SavedResults(directory);
    expect(await saved.save('png', 'first')).toBe(join(directory, 'result-3.png'));
    expect(await saved.save('svg', 'second')).toBe(join(directory, 'result-4.svg'));
    expect(await new SavedResults(directory).save('png', 'third')).toBe(join(directory, 'result-4.png'));
    const contents = readdirSync(directory)
      .filter((name) => name !== 'result-2.png')
      .map((name) => [name, readFileSync(join(directory, name), 'utf8')]);
    expect(Object.fromEntries(contents)).toEqual({
      'result-1.png': 'mine',
      'result-3.png': 'first',
      'result-4.png': 'third',
      'result-4.svg': 'second',
    });
    expect(readlinkSync(join(directory, 'result-2.png'))).toBe('elsewhere');
  });

  it('make their directory, and without one a new one that others cannot read', async () => {
    const inside = await new SavedResults(join(directory, 'a/b')).save('png', 'x');
    expect(inside).toBe(join(directory, 'a/b/result-1.png'));
    const saved = new SavedResults();
    const path = await saved.save('png', 'x');
    expect(path).toMatch(new RegExp(`^${tmpdir()}/service-results-\\w+/result-1\\.png$`));
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(await saved.save('png', 'y')).toBe(path.replace('result-1', 'result-2'));
    rmSync(join(path, '..'), { recursive: true });
  });
});
