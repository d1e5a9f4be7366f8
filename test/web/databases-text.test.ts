import fc from 'fast-check';
import { familyOf, treeOf } from '../../web/src/databases/database-words.js';
import { clamped, localTime, spanOf, stepOf } from '../../web/src/databases/moments.js';
import { csvOf } from '../../web/src/databases/result-csv.js';
import { indexAt, keysOf, lineAt, quoted, rowsSql } from '../../web/src/databases/sql-text.js';
import { foldersOf, prefixOf, previewOf } from '../../web/src/storage/object-names.js';
import { shownDatabase } from './resource-answers.js';

const database = (id: string, parent: string | null): any => shownDatabase(id, id, { parent_id: parent });

describe('names in SQL', () => {
  it('are quoted, so that none of them ends early', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const text = quoted(name);
        expect(text.slice(1, -1).replaceAll('""', '')).not.toContain('"');
        expect(text.slice(1, -1).replaceAll('""', '"')).toBe(name);
      }),
    );
    const wanted = { schema: 'a"b', table: 't; DROP', orderBy: ['id'], descending: true, limit: 51, offset: 50 };
    expect(rowsSql(wanted)).toBe('SELECT * FROM "a""b"."t; DROP" ORDER BY "id" DESC LIMIT 51 OFFSET 50');
  });
});

describe('the primary key of a table', () => {
  it('is read from its index, with quoted names too', () => {
    const columns = ['a', 'b, c', 'd'].map((name) => ({ name, type: 'text', nullable: false, default: null }));
    const of = (definition: string): string[] =>
      keysOf({ columns, indexes: [{ name: 'i', primary: true, definition }] });
    expect(of('CREATE UNIQUE INDEX i ON t USING btree (d, a)')).toEqual(['a', 'd']);
    expect(of('CREATE UNIQUE INDEX i ON t USING btree (a) INCLUDE (d)')).toEqual(['a']);
    expect(keysOf({ columns, indexes: [] })).toEqual([]);
  });
});

describe('a position of PostgreSQL', () => {
  it('is found by characters, also behind those of two units', () => {
    expect(lineAt("SELECT '😀',\n  nmae", 15)).toEqual({ line: 2, column: 3, text: '  nmae' });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, at) => {
        expect(text.slice(0, indexAt(text, at + 1))).toBe(Array.from(text).slice(0, at).join(''));
      }),
    );
  });
});

describe('rows as CSV', () => {
  it('keep commas, quotes and lines, and are no formulas', () => {
    const columns = [
      { name: 'a', type: 'text' },
      { name: 'b', type: 'int4' },
    ];
    expect(
      csvOf({
        columns,
        rows: [
          ['x,"y"\n', -1],
          [null, { k: 1 }],
          ['=HYPERLINK()', true],
        ],
      }),
    ).toBe('a,b\r\n"x,""y""\n",-1\r\n,"{""k"":1}"\r\n\'=HYPERLINK(),true\r\n');
  });
});

describe('the tree of databases', () => {
  it('has each database once, whatever the parents are', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const parents = fc.array(fc.option(fc.constantFrom(...ids, 'gone')), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(parents, (of) => {
        const all = ids.map((id, at) => database(id, of[at] ?? null));
        expect(
          treeOf(all)
            .map(({ database: { id } }) => id)
            .sort(),
        ).toEqual(ids);
        for (const id of ids) expect(familyOf(all, id).map((each) => each.id)).toContain(id);
      }),
    );
  });

  it('puts branches below their parents', () => {
    const all = [database('b', 'a'), database('c', 'b'), database('a', null), database('z', null)];
    expect(treeOf(all).map(({ database: { id }, depth }) => `${id}${depth}`)).toEqual(['a0', 'b1', 'c2', 'z0']);
    expect(familyOf(all, 'c').map(({ id }) => id)).toEqual(['b', 'c', 'a']);
  });
});

describe('the moments of a restore', () => {
  it('stay within what can be restored, in whole seconds', () => {
    const from = '2026-11-22T10:00:00.400Z';
    const span = spanOf({ from, until: '2026-11-23T10:00:00.900Z' })!;
    expect(new Date(span.from).toISOString()).toBe('2026-11-22T10:00:01.000Z');
    expect(new Date(span.until).toISOString()).toBe('2026-11-23T10:00:00.000Z');
    expect(clamped(0, span)).toBe(span.from);
    expect(clamped(Infinity, span)).toBe(span.until);
    expect((span.until - span.from) / stepOf(span)).toBeLessThanOrEqual(500);
    expect(new Date(localTime(span.from)).getTime()).toBe(span.from);
    expect(spanOf({ from: null, until: null })).toBeUndefined();
    expect(spanOf({ from, until: from })).toBeUndefined();
  });
});

describe('folders in a bucket', () => {
  it('are parts of keys', () => {
    expect(foldersOf('a/b c/')).toEqual([
      { name: 'a', prefix: 'a/' },
      { name: 'b c', prefix: 'a/b c/' },
    ]);
    expect(prefixOf('/a//b')).toBe('a/b/');
    expect(prefixOf(' / ')).toBe('');
  });
});

describe('the preview of an object', () => {
  it.each([
    ['image/png', 'image'],
    // It is a document that can hold scripts, and is read as text.
    ['image/svg+xml', 'text'],
    ['text/html; charset=utf-8', 'text'],
    ['application/ld+json', 'text'],
    ['video/mp4', 'video'],
    ['application/pdf', 'pdf'],
    ['application/octet-stream', undefined],
    ['', undefined],
  ])('of %j is %j', (type, kind) => {
    expect(previewOf(type)).toBe(kind);
  });
});
