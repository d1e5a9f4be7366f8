import fc from 'fast-check';
import { SqlReader, SqlUnreadable } from './sql-reader.js';

/** Gives the text in pieces of so many bytes. */
async function* inPieces(text: string, bytes: number): AsyncGenerator<Buffer> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) yield await Promise.resolve(all.subarray(at, at + bytes));
}

async function statementsOf(text: string, bytes = 7): Promise<[number, string][]> {
  const reader = new SqlReader(inPieces(text, bytes));
  const found: [number, string][] = [];
  for (let next = await reader.next(); next !== undefined; next = await reader.next())
    found.push([next.line, next.sql.toString()]);
  return found;
}

describe('SqlReader', () => {
  it.each([
    'SELECT 1',
    "SELECT ';', 'it''s;'",
    "SELECT E'a\\';b'",
    `SELECT 1 AS "a;""b"`,
    'SELECT 1 -- one; two\n + 1',
    'SELECT /* ; /* ; */ ; */ 1',
    'DO $$ BEGIN; END $$',
    'DO $ä$ ; $$ ; $ä$',
    'SELECT a$b$c, 2',
    'CREATE RULE r AS ON INSERT TO t DO (DELETE FROM a; DELETE FROM b)',
    'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END',
    'create or replace procedure p() begin atomic insert into t values (1); end',
    "SELECT 'ä€😀;'",
  ])('reads %s as one statement', async (sql) => {
    for (const bytes of [1, 7, 65_536])
      expect((await statementsOf(`${sql};\n${sql};SELECT 3`, bytes)).map(([, each]) => each)).toEqual([
        sql,
        sql,
        'SELECT 3',
      ]);
  });

  it('counts lines, and skips comments and what is for psql', async () => {
    const sql = '\ufeff-- head\n\\restrict abc\n;\nSELECT\n 1;\n/* x\n */ SELECT 2;\n\\unrestrict abc\n-- end';
    expect(await statementsOf(sql)).toEqual([
      [4, 'SELECT\n 1'],
      [7, 'SELECT 2'],
    ]);
  });

  it('refuses other commands of psql, and statements without a bound', async () => {
    await expect(statementsOf('SELECT 1;\n\\connect other\n')).rejects.toMatchObject({ line: 2 });
    const long = 'x'.repeat(16_777_216);
    for (const text of [`SELECT '${long}`, `SELECT '${long}'; SELECT 2;`, `SELECT '${long}${long}'; SELECT 2;`])
      await expect(statementsOf(`SELECT 1;\n${text}`, 65_536)).rejects.toThrow(SqlUnreadable);
    expect(await statementsOf(`SELECT '${long.slice(9)}'; SELECT '${long.slice(9)}'`, 65_536)).toHaveLength(2);
  });

  it('yields the data of COPY, however it is cut', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replace(/[\n\r\\]/g, 'x'));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 40 }), async (lines, bytes) => {
        const data = lines.map((each) => `${each}\n`).join('');
        const reader = new SqlReader(inPieces(`COPY t FROM stdin;\n${data}\\.\n\nSELECT 1;`, bytes));
        expect((await reader.next())?.sql.toString()).toBe('COPY t FROM stdin');
        const read: Buffer[] = [];
        for await (const piece of reader.copyData()) read.push(piece);
        expect(Buffer.concat(read).toString()).toBe(data);
        expect(await reader.next()).toEqual({ sql: Buffer.from('SELECT 1'), line: lines.length + 4 });
      }),
    );
  });

  it('refuses data without an end', async () => {
    const reader = new SqlReader(inPieces('COPY t FROM stdin;\n1\n', 5));
    await reader.next();
    const read = async (): Promise<void> => {
      for await (const piece of reader.copyData()) expect(piece.length).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toThrow('no end');
  });
});
