import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { testRedisUrl } from '../support/test-redis.js';
import { onThisMachine } from '../support/patience.js';
import { eventually, TestApp } from '../support/test-app.js';
import { EngineOf } from './engine-harness.js';

/** What a host had said when it was killed. */
interface Said {
  readonly first: string;
  readonly begun: readonly string[];
  readonly created: readonly string[];
  readonly wrote: number;
}

describe('a host that is killed', () => {
  const directory = mkdtempSync(join(tmpdir(), 'service-host-'));
  let database: TestDatabase;

  beforeAll(async () => {
    chmodSync(directory, 0o711);
    database = await createTestDatabase();
  });

  afterAll(async () => {
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Runs a host, and kills it after it has said this many lines. */
  async function killedAfter(lines: number): Promise<Said> {
    const settings = {
      DATABASE_URL: database.url,
      REDIS_URL: testRedisUrl(),
      SECRETS_KEY: 'a-secrets-key-of-the-tests-long-enough-for-it',
      API_KEY_PEPPER: 'a-pepper-of-the-tests-long-enough-for-it',
      DATA_DIR: directory,
      PUBLIC_URL: 'http://api.test',
    };
    const program = join(__dirname, '../support/database-host.process.ts');
    const hook = join(__dirname, '../support/typescript-hook.cjs');
    const child = spawn(process.execPath, ['--require', hook, program, JSON.stringify(settings)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let faults = '';
    child.stderr.on('data', (chunk: Buffer) => {
      faults += chunk.toString();
    });
    const said: string[] = [];
    createInterface(child.stdout).on('line', (line) => {
      said.push(line);
      if (said.length === lines) child.kill('SIGKILL');
    });
    const [, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (signal !== 'SIGKILL') throw new Error(`The host ended by itself: ${faults}`);
    const all = (what: string): string[] =>
      said.filter((line) => line.startsWith(`${what} `)).map((line) => line.slice(what.length + 1));
    return {
      first: all('writing')[0]!,
      begun: all('creating'),
      created: all('created'),
      wrote: Math.max(0, ...all('wrote').map(Number)),
    };
  }

  it(
    'keeps what it has acknowledged, and a whole database or none of each that it was creating',
    async () => {
      const app = new TestApp({ DATA_DIR: directory }, 'databases');
      const on = new EngineOf(app);
      for (const lines of [3, 9, 41]) {
        const { first, begun, created, wrote } = await killedAfter(lines);
        const spares = join(directory, 'databases/spares');
        // The host that comes next makes spares of its own, under other names.
        const left = readdirSync(spares).filter((name) => name.endsWith('.unfinished'));
        await app.start({ database, keepRedis: true });
        await on.opened();
        const [row] = await on.query(first, 'SELECT count(*)::int AS count FROM rows');
        expect(row!.count).toBeGreaterThanOrEqual(wrote);
        for (const id of begun) {
          const isThere = await on.query(id, 'SELECT 1').then(
            () => true,
            () => false,
          );
          if (created.includes(id)) expect(isThere).toBe(true);
          // The operation is repeated.
          if (!isThere) await on.engine.create(id);
          expect(await on.query(id, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
          await on.engine.drop(id);
        }
        await on.engine.drop(first);
        await eventually(
          () => !readdirSync(spares).some((name) => left.includes(name)),
          'what was unfinished is removed',
        );
        expect(readdirSync(join(directory, 'databases/clusters'))).toEqual([]);
        await app.nest.close();
      }
    },
    onThisMachine(120_000),
  );

  it('leaves copies behind whose files are still its own, and the next one removes all of them', async () => {
    const app = new TestApp({ DATA_DIR: directory }, 'databases');
    const homes = ['spares', 'templates'].map((name) => join(directory, 'databases', name));
    for (const home of homes) {
      for (const name of ['a.unfinished', 'b.unfinished.removed']) {
        // So they are while they are copied: the owner of a directory changes after all that is in it.
        mkdirSync(join(home, name, 'files/data/base'), { recursive: true, mode: 0o700 });
        writeFileSync(join(home, name, 'files/data/base/1'), 'a page', { mode: 0o600 });
      }
    }
    await app.start({ database, keepRedis: true });
    try {
      await new EngineOf(app).opened();
      const left = (): string[] => homes.flatMap((home) => readdirSync(home)).filter((name) => /^[ab]\./.test(name));
      await eventually(() => left().length === 0, 'what was unfinished is removed');
    } finally {
      await app.nest.close();
    }
  });
});
