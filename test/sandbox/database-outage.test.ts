import { setTimeout as sleep } from 'node:timers/promises';
import { ExecutionsStore } from '../../src/modules/sandbox/persistence/executions.store.js';
import { SandboxRuntime } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { as, expectStatus, Make } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { withAdmin } from '../support/test-database.js';
import { eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

jest.setTimeout(onThisMachine(120_000));

const PATH = '/api/v1/sandbox/executions';
const OUTAGE_MS = 1_500;

describe('executions while PostgreSQL is unavailable', () => {
  const app = useApp({ ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '2' });
  const make = new Make(app);

  type Kept = { readonly id: string; readonly status: string; readonly stdout?: string };
  const list = async (key: string): Promise<Kept[]> =>
    (await app.fetch(`${PATH}?limit=100`, as(key))).body.data as Kept[];
  const start = async (key: string, code: string): Promise<string> =>
    expectStatus(202, await app.post(PATH, { language: 'python', code, wait: false }, as(key))).body.data.id as string;
  const heldOf = async (key: string): Promise<number> =>
    Number((await app.fetch('/api/v1/billing/credits', as(key))).body.data.held);
  const isOver = ({ status }: Kept): boolean => !['queued', 'running'].includes(status);

  /** Ends all connections to the database of the test, and takes no new ones until `during` has ended. */
  async function outage(during: () => Promise<void>): Promise<void> {
    const name = new URL(app.config.databaseUrl!).pathname.slice(1);
    await withAdmin(async (admin) => {
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      await during().finally(() => admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`));
    });
  }

  it('are all run: queued ones return to the queue, and results are written afterwards', async () => {
    const key = await make.key(await make.person({ plan: 'pro' }));
    const ids: string[] = [];
    for (let count = 0; count < 24; count++)
      ids.push(await start(key, `import time; time.sleep(0.3); print(${count})`));
    const awaited = app.post(PATH, { language: 'python', code: 'print("awaited")' }, as(key));
    await eventually(
      async () => {
        const kept = await list(key);
        return kept.length === ids.length + 1 && kept.some(isOver);
      },
      'all are accepted, and the first one is over',
      20_000,
    );
    await outage(() => sleep(OUTAGE_MS));

    await eventually(
      async () => (await list(key).catch(() => [])).filter(isOver).length === ids.length + 1,
      'all are over',
      60_000,
    );
    expect((await list(key)).filter(({ status }) => status !== 'succeeded')).toEqual([]);
    const answer = await awaited;
    expect([answer.status, answer.body.data?.stdout]).toEqual([200, 'awaited\n']);
    const last = (await app.fetch(`${PATH}/${ids[23]!}`, as(key))).body.data as Kept;
    expect(last.stdout).toBe('23\n');
    expect(await heldOf(key)).toBe(0);
  });

  it('run once even if their start may not have been written', async () => {
    const key = await make.key(await make.person({ plan: 'pro' }));
    const store = app.get(ExecutionsStore);
    const begin = store.begin.bind(store);
    let uncertain = 0;
    const broken = jest.spyOn(store, 'begin').mockImplementation(async (...parameters) => {
      const begun = await begin(...parameters);
      if (++uncertain <= 2) throw new Error('Connection terminated unexpectedly');
      return begun;
    });
    const runs = jest.spyOn(app.get(SandboxRuntime), 'run');
    const answer = await app.post(PATH, { language: 'python', code: 'print("once")' }, as(key));
    broken.mockRestore();
    expect([answer.status, answer.body.data.status, answer.body.data.stdout]).toEqual([200, 'succeeded', 'once\n']);
    expect([uncertain, runs.mock.calls.length]).toEqual([3, 1]);
    runs.mockRestore();
    expect(await heldOf(key)).toBe(0);
  });
});
