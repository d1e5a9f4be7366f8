import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { splitStatements } from '../../cli/src/database/statements.js';
import { type Ended, type RunOptions, useCommandLine } from '../support/command-line.js';
import { FakeDataApi } from '../support/fake-data-api.js';

jest.setTimeout(60_000);

const api = new FakeDataApi();
const command = useCommandLine(() => api.url);
const MEBIBYTE = 1_048_576;
const KEY = { SERVICE_API_KEY: 'svc_pat_x' };

beforeAll(() => api.start());
afterAll(() => api.stop());
beforeEach(() => {
  api.databases.clear();
  api.calls.length = api.bodies.length = 0;
  api.addDatabase({ name: 'shop', state: 'ready' });
});

const run = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  command.run(['db', ...args], { env: KEY, ...options });
const ok = async (args: readonly string[], options: RunOptions = {}): Promise<string> => {
  const { code, stdout, stderr } = await run(args, options);
  if (code !== 0) throw new Error(`${code}: ${stdout}${stderr}`);
  return stdout.trimEnd();
};
const shell = (answers: readonly (readonly [string, string])[], ...args: string[]): Promise<Ended> =>
  command.runOnTerminal(['db', 'shell', 'shop', ...args], answers, { ...KEY, NO_COLOR: '1' });
const idOf = (name: string): string =>
  String([...api.databases.values()].find((database) => database['name'] === name)!['id']);

describe('splitting SQL into statements', () => {
  it.each([
    ['a; b;', ['a', 'b'], ''],
    ['a; b', ['a'], ' b'],
    [`'a;''b;' ; "c;""d" ;`, [`'a;''b;'`, `"c;""d"`], ''],
    ['$$ a; $$; $x$ $$; $x$;', ['$$ a; $$', '$x$ $$; $x$'], ''],
    ['a$b$; c;', ['a$b$', 'c'], ''],
    ['-- a;\nb; /* c; /* d; */ e; */ f;', ['-- a;\nb', '/* c; /* d; */ e; */ f'], ''],
    [String.raw`E'a\';' ; 'b\' ;`, [String.raw`E'a\';'`, String.raw`'b\'`], ''],
    ["';", [], "';"],
    ['/* ;', [], '/* ;'],
    [';; -- a\n;', [], ''],
  ])('%j has %j and %j', (sql, statements, rest) => {
    expect(splitStatements(sql)).toEqual({ statements, rest });
  });

  it('finds what was joined, whatever is quoted', () => {
    const quoted = fc
      .array(fc.constantFrom(';', 'a', ' ', '\n', '-', '/', '*', '"', '\\', '$'), { maxLength: 8 })
      .map((parts) => parts.join(''));
    const token = fc.oneof(
      fc.constantFrom('select', '1', ' x ', '\n', '(', ')', ','),
      quoted.map((text) => `'${text}'`),
      quoted.map((text) => `"${text.replaceAll('"', '""')}"`),
      quoted.filter((text) => !text.includes('$')).map((text) => ` $f$${text}$f$`),
      quoted.map((text) => `--${text.replaceAll('\n', '')}\n`),
      quoted.filter((text) => !/\/\*|\*\/|\/$|^\/|\*$/.test(text)).map((text) => `/* ${text} */`),
    );
    const statement = fc.array(token, { maxLength: 8 }).map((tokens) => `s ${tokens.join(' ')}`.trim());
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 5 }), (statements) => {
        expect(splitStatements(statements.map((each) => `${each}\n;`).join(''))).toEqual({
          statements: statements.map((each) => each.trim()),
          rest: '',
        });
      }),
    );
  });
});

describe('service db', () => {
  it('creates, lists, shows, deletes and brings back databases', async () => {
    const id = await ok(['create', 'blog']);
    expect(id).toBe(idOf('blog'));
    expect(await ok(['list'])).toMatch(
      /^NAME +STATE +SIZE +QUOTA +ACTIVITY +ID\nshop +ready +31\.0 MB +1\.0 GB +asleep/,
    );
    expect(await ok(['show', 'blog'])).toMatch(/Address +db\.test:5433, database blog-k3v9x2ma/);
    expect((await run(['delete', 'blog'])).code).toBe(2);
    expect(await ok(['delete', 'blog', '--yes'])).toContain(`service db undelete ${id}`);
    expect((await run(['show', 'blog'])).code).toBe(2);
    expect(await ok(['undelete', 'blog'])).toBe(`${id} is ready.`);
    expect(JSON.parse(await ok(['show', id, '--json']))).toMatchObject({ id, state: 'ready' });
    await ok(['delete', 'blog', '--yes']);
    expect((await run(['purge', 'blog'])).code).toBe(2);
    expect(await ok(['purge', 'blog', '--yes'])).toBe(`${id} is being removed.`);
    expect((await run(['undelete', 'blog'])).code).toBe(2);
  });

  it('exits with 1 and the reason when a database cannot be created', async () => {
    const ended = await run(['create', 'bad']);
    expect(ended).toMatchObject({ code: 1, stdout: `${idOf('bad')}\n`, stderr: expect.stringContaining('No room.') });
    expect(await ok(['list'])).toContain('failed (no_room)');
    expect((await run(['create', 'bad', '--no-wait'])).code).toBe(0);
  });

  it('refuses a name that several databases have, and names their ids', async () => {
    api.addDatabase({ name: 'shop', state: 'ready' });
    const ended = await run(['show', 'shop']);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('Pass an id: db_') });
    expect((await run(['show', 'none'])).stderr).toContain('There is no database "none"');
  });

  it('prints only URLs with passwords to standard output', async () => {
    const created = await run(['url', 'shop', '--access', 'reader', '--name', 'ci']);
    expect(created.stdout).toBe('postgres://owner_x:hidden@db.test:5433/shop\n');
    expect(api.bodies.at(-1)).toEqual({ access: 'reader', name: 'ci' });
    const rotated = await run(['rotate', 'shop', 'dbc_1', '--grace-seconds', '0']);
    expect(rotated.stdout).toContain('hidden');
    expect(api.calls.at(-1)).toBe(`POST databases/${idOf('shop')}/credentials/dbc_1/rotate`);
    const listed = await run(['credentials', 'shop']);
    expect([created.stderr, rotated.stderr, listed.stdout].join()).not.toContain('hidden');
    expect(await ok(['revoke', 'shop', 'dbc_1'])).toBe('dbc_1 is revoked.');
  });

  it('branches, restores and swaps', async () => {
    expect(await ok(['branch', 'shop', 'trial'])).toBe(idOf('trial'));
    const before = Date.now();
    expect(await ok(['restore', 'shop', '--at', '15m', '--name', 'earlier'])).toBe(idOf('earlier'));
    const at = Date.parse(String(api.bodies.at(-1)!['at']));
    expect(Math.abs(before - 15 * 60_000 - at)).toBeLessThan(60_000);
    expect((await run(['restore', 'shop', '--at', 'later'])).code).toBe(2);
    expect((await run(['swap', 'shop', 'earlier'])).code).toBe(2);
    expect(await ok(['swap', 'shop', 'earlier', '--yes'])).toContain('have exchanged their data');
    expect(api.bodies.at(-1)).toEqual({ with: idOf('earlier') });
  });

  it('attaches a database to a project, and detaches it', async () => {
    const options = ['--project', 'site', '--prefix', 'REPORTS', '--target', 'production', '--access', 'reader'];
    expect(await ok(['attach', 'shop', ...options])).toBe('site gets REPORTS_URL in production.');
    expect(api.bodies.at(-1)).toEqual({ prefix: 'REPORTS', targets: ['production'], access: 'reader' });
    expect(await ok(['detach', 'shop', '--project', 'site'])).toBe('site is detached.');
  });

  it('exports to standard output or a whole file, and imports a file', async () => {
    expect(await ok(['export', 'shop'])).toBe('CREATE TABLE cats (name text);');
    const file = join(command.home, 'shop.sql');
    expect(await ok(['export', 'shop', file])).toContain(file);
    expect(readFileSync(file, 'utf8')).toBe('CREATE TABLE cats (name text);\n');
    expect((await run(['import', 'shop', file])).code).toBe(2);
    await ok(['import', 'shop', file, '--yes']);
    expect(api.databases.get(idOf('shop'))!['imported']).toBe('CREATE TABLE cats (name text);\n');
    expect((await run(['import', 'shop', 'none.sql', '--yes'])).code).toBe(2);
    expect((await run(['import', 'shop', command.home, '--yes'])).stderr).toContain('is a directory');
  });

  it('imports what a pipe yields, and leaves no copy of it', async () => {
    const pipe = join(command.home, 'pipe.sql');
    const temporary = join(command.home, 'tmp');
    mkdirSync(temporary);
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const importing = ok(['import', 'shop', pipe, '--yes'], { env: { ...KEY, TMPDIR: temporary } });
    await writeFile(pipe, 'CREATE TABLE dogs ();');
    await importing;
    expect(api.databases.get(idOf('shop'))!['imported']).toBe('CREATE TABLE dogs ();');
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('imports a file that is larger than the memory that it takes', async () => {
    const file = join(command.home, 'large.sql');
    const peak = join(command.home, 'peak');
    const watch = join(command.home, 'watch.cjs');
    writeFileSync(file, 'SELECT 1;');
    truncateSync(file, 256 * MEBIBYTE);
    writeFileSync(
      watch,
      `process.on('exit', () => require('fs').writeFileSync(process.env.PEAK, String(process.resourceUsage().maxRSS)))`,
    );
    await ok(['import', 'shop', file, '--yes'], { env: { ...KEY, PEAK: peak, NODE_OPTIONS: `--require=${watch}` } });
    expect(api.databases.get(idOf('shop'))!['imported']).toBe(256 * MEBIBYTE);
    expect(Number(readFileSync(peak, 'utf8')) * 1_024).toBeLessThan(256 * MEBIBYTE);
  });
});

describe('service db query', () => {
  it('draws rows as a table, and prints JSON', async () => {
    const sql = `SELECT 1 AS id, 'cat' AS name, NULL AS owner UNION ALL SELECT 20, E'dog\\nfox\\x1b[31m', NULL`;
    expect(await ok(['query', 'shop', sql])).toBe(
      ['id | name    | owner', '---+---------+------', ' 1 | cat     | NULL', '20 | dog↵fox | NULL', '(2 rows)'].join(
        '\n',
      ),
    );
    expect(JSON.parse(await ok(['query', 'shop', sql, '--json']))).toMatchObject({
      row_count: 2,
      rows: [
        [1, 'cat', null],
        [20, expect.stringContaining('dog\nfox'), null],
      ],
    });
  });

  it('changes nothing without --write', async () => {
    const refused = await run(['query', 'shop', 'CREATE TABLE cats (id int)']);
    expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining('read-only transaction') });
    expect(await ok(['query', 'shop', 'CREATE TABLE cats (id int)', '--write'])).toBe('CREATE');
    expect(await ok(['query', 'shop', '--write'], { input: 'INSERT INTO cats VALUES (1), (2)' })).toBe('INSERT 2');
    expect(await ok(['query', 'shop', 'SELECT count(*) FROM cats WHERE id = $1', '--param', '2'])).toContain(' 1');
    await ok(['query', 'shop', 'DROP TABLE cats', '--write']);
  });

  it('points to what is wrong', async () => {
    const { code, stderr } = await run(['query', 'shop', `SELECT '😀',\n  cat FROM generate_series(1, 2)`]);
    expect(code).toBe(6);
    expect(stderr).toContain('LINE 2:   cat FROM generate_series(1, 2)\n          ^\n');
  });

  it('takes the statement once, from an argument, a file or standard input', async () => {
    writeFileSync(join(command.home, 'q.sql'), 'SELECT 7 AS n');
    expect(await ok(['query', 'shop', '--file', 'q.sql'])).toContain('7');
    expect((await run(['query', 'shop', 'SELECT 1', '--file', 'q.sql'])).code).toBe(2);
    expect((await run(['query', 'shop'])).code).toBe(2);
    expect((await run(['query', 'shop', '--file', 'none.sql'])).code).toBe(2);
  });
});

describe('service db shell', () => {
  it('runs statements of several lines on a terminal, shows errors, and describes tables', async () => {
    const { code, stdout } = await shell([
      ['shop=> ', 'SELECT 1'],
      ['shop-> ', '+ 41 AS answer;'],
      ['(1 row)', 'SELECT nonsense;'],
      ['^', '\\write'],
      ['can change data now', 'CREATE TABLE cats (id int PRIMARY KEY, name text NOT NULL);'],
      ['CREATE', 'CREATE INDEX by_name ON cats (name);'],
      ['shop=# ', '\\dt'],
      ['(1 row)', '\\d cats'],
      ['Indexes', '\\x'],
      ['as blocks', 'SELECT 5 AS five;'],
      ['-[ 1 ]', 'DROP TABLE cats;'],
      ['DROP', '\\q'],
    ]);
    expect(code).toBe(0);
    const shown = stdout.replaceAll(/\u001B\[[\d;]*[A-Za-z]/g, '').replaceAll('\r', '');
    expect(shown).toMatch(/answer\n-+\n +42\n\(1 row\)/);
    expect(shown).toMatch(/column "nonsense" does not exist/);
    expect(shown).toMatch(/public +\| cats +\| table/);
    expect(shown).toMatch(/name +\| text +\| not null/);
    expect(shown).toMatch(/CREATE INDEX by_name ON public\.cats/);
    expect(shown).toMatch(/five \| 5/);
  });

  it('keeps a history that only the user can read, without passwords', async () => {
    await shell([
      ['=> ', "SELECT 'a password';"],
      ['(1 row)', 'SELECT 123;'],
      ['123', '\\q'],
    ]);
    const file = join(command.home, 'service/db-history');
    expect(readFileSync(file, 'utf8')).toContain('SELECT 123;');
    expect(readFileSync(file, 'utf8')).not.toContain('password');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('runs statements from a pipe, and stops at the first that fails', async () => {
    const { code, stdout } = await run(['shell', 'shop'], { input: 'SELECT 1 AS a;\nSELECT 2 AS\nb' });
    expect([code, stdout]).toEqual([0, 'a\n-\n1\n(1 row)\nb\n-\n2\n(1 row)\n']);
    const failed = await run(['shell', 'shop'], { input: 'SELECT 1;\nSELECT x;\nSELECT 3 AS three;' });
    expect(failed.code).toBe(6);
    expect(failed.stdout).not.toContain('three');
  });
});
