import { OperationHandler, type OperationStep } from '../../src/modules/databases/operations/operation-handler.js';
import { OperationHandlers } from '../../src/modules/databases/operations/operation-handlers.js';
import type {
  ClaimedOperation,
  Operation,
  OperationFailure,
} from '../../src/modules/databases/operations/operation.js';
import { DatabaseOperations } from '../../src/modules/databases/operations/database-operations.js';
import { DatabaseNotFound, DatabaseUnavailable } from '../../src/modules/databases/databases.errors.js';
import { DatabaseEngine } from '../../src/modules/databases/engine/database-engine.js';
import { DatabaseOperationsStore } from '../../src/modules/databases/persistence/database-operations.store.js';
import { Database } from '../../src/platform/database/database.js';
import { Databases } from '../support/databases.js';
import { Make, uniqueName } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';

const app = useApp({}, 'all');
const make = new Make(app);
const databases = new Databases(app);
let database: { id: string; hostId: string };

beforeAll(() => databases.begin());
beforeEach(async () => {
  const { id } = await databases.ready();
  const [row] = await make.sql<{ host_id: string }>('SELECT host_id FROM databases WHERE id = $1', [id]);
  database = { id: id as string, hostId: row!.host_id };
});
afterEach(() => jest.restoreAllMocks());

/** An operation of a test, whose steps it chooses. */
class TestHandler extends OperationHandler {
  readonly kind = uniqueName('test');
  readonly ended: (OperationFailure | 'done')[] = [];
  override maxAttempts = 4;

  constructor(
    readonly steps: readonly OperationStep[],
    private readonly onSuccess: () => Promise<void> = () => Promise.resolve(),
  ) {
    super(app.get(OperationHandlers));
  }

  async succeeded(): Promise<void> {
    await this.onSuccess();
    this.ended.push('done');
  }

  failed(_: Operation, failure: OperationFailure): Promise<void> {
    this.ended.push(failure);
    return Promise.resolve();
  }

  request(input: object = {}, hostId = database.hostId): Promise<string> {
    return app
      .get(Database)
      .transaction(() =>
        app.get(DatabaseOperations).request({ databaseId: database.id, hostId, kind: this.kind, input: { ...input } }),
      );
  }
}

const rowOf = async (id: string): Promise<any> =>
  (await make.sql('SELECT * FROM database_operations WHERE id = $1', [id]))[0];
const hurry = (id: string): Promise<unknown> =>
  make.sql("UPDATE database_operations SET next_at = now() WHERE id = $1 AND state = 'pending'", [id]);

/** Waits for the end of an operation, without its pauses. */
async function ended(id: string): Promise<any> {
  await eventually(
    async () => {
      await hurry(id);
      return ['done', 'failed'].includes((await rowOf(id)).state as string);
    },
    'the operation has ended',
    20_000,
  );
  return rowOf(id);
}

describe('an operation', () => {
  it('does its steps in order, each until it has succeeded, and none again after that', async () => {
    const calls: string[] = [];
    const flaky = (name: string, faults: number): OperationStep => {
      let left = faults;
      return () => {
        calls.push(name);
        return left-- > 0 ? Promise.reject(new Error(`a fault of ${name}`)) : Promise.resolve();
      };
    };
    const handler = new TestHandler([flaky('a', 2), flaky('b', 0), flaky('c', 3)]);
    const id = await handler.request();
    expect(await ended(id)).toMatchObject({ state: 'done', step: 3, error_code: null, lease_until: null });
    expect(calls.join('')).toBe('aaabcccc');
    expect(handler.ended).toEqual(['done']);
  });

  it('fails with words for the tenant after its attempts, and the cause is in the log alone', async () => {
    const handler = new TestHandler([() => Promise.reject(new Error('a secret of the host'))]);
    const row = await ended(await handler.request());
    expect(row).toMatchObject({ state: 'failed', error_code: 'internal_error' });
    expect(row.error_message).not.toContain('secret');
    expect(handler.ended).toEqual([{ code: 'internal_error', message: 'The service could not do this.' }]);
    expect(app.log().some((line) => JSON.stringify(line).includes('a secret of the host'))).toBe(true);
  });

  it('fails at once when it is refused, and is repeated when something is unavailable', async () => {
    const refused = new TestHandler([() => Promise.reject(new DatabaseNotFound())]);
    const row = await ended(await refused.request());
    expect(row).toMatchObject({ state: 'failed', attempts: 1, error_code: 'database_not_found' });
    let left = 2;
    const repeated = new TestHandler([
      () => (left-- > 0 ? Promise.reject(new DatabaseUnavailable('Not now.')) : Promise.resolve()),
    ]);
    expect(await ended(await repeated.request())).toMatchObject({ state: 'done' });
  });

  it('ends together with its outcome: when that cannot be recorded, it is not over', async () => {
    let left = 1;
    const handler = new TestHandler([], () =>
      left-- > 0 ? Promise.reject(new Error('a fault at the end')) : Promise.resolve(),
    );
    expect(await ended(await handler.request())).toMatchObject({ state: 'done' });
    expect(handler.ended).toEqual(['done']);
  });

  it('is the only active one of its database, however many are asked for at once', async () => {
    let finish = (): void => undefined;
    const handler = new TestHandler([() => new Promise((resolve) => (finish = resolve))]);
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => handler.request()));
    const accepted = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(accepted).toHaveLength(1);
    expect(asked.filter(({ status }) => status === 'rejected')).toHaveLength(4);
    await eventually(async () => (await rowOf(accepted[0]!)).state === 'running', 'it runs');
    finish();
    await ended(accepted[0]!);
  });

  it('waits for its own host', async () => {
    const handler = new TestHandler([]);
    const id = await handler.request({}, 'dbh_elsewhere');
    await new TestHandler([]).request().catch(() => undefined);
    const other = await databases.ready();
    expect(other.state).toBe('ready');
    expect(await rowOf(id)).toMatchObject({ state: 'pending', attempts: 0 });
    await make.sql('DELETE FROM database_operations WHERE id = $1', [id]);
  });
});

describe('an operation whose worker is lost', () => {
  const store = (): DatabaseOperationsStore => app.get(DatabaseOperationsStore);
  const claim = (hostId: string, workerId: string, leaseMs = 30_000): Promise<ClaimedOperation[]> =>
    store().claim(hostId, { workerId, limit: 10, leaseMs });
  const LOST = 'dbh_lost';

  it('is taken by another once its lease is over, and the first changes nothing any more', async () => {
    const handler = new TestHandler([() => Promise.resolve()]);
    const id = await handler.request({}, LOST);
    const [mine] = await claim(LOST, 'wrk_one');
    expect(mine).toMatchObject({ id, step: 0, attempts: 1 });
    expect(await claim(LOST, 'wrk_two')).toEqual([]);
    await make.sql('UPDATE database_operations SET next_at = now(), lease_until = now() WHERE id = $1', [id]);
    const [theirs] = await claim(LOST, 'wrk_two');
    expect(theirs).toMatchObject({ id, attempts: 2 });

    expect(await store().renew('wrk_one', [id], 1_000)).toEqual([]);
    expect(await store().advance(mine!, 1)).toBe(false);
    expect(await store().end(mine!, undefined, new Date())).toBe(false);
    await store().postpone(mine!, { delayMs: 0, isFault: true });
    expect(await rowOf(id)).toMatchObject({ state: 'running', worker_id: 'wrk_two', step: 0 });
    expect(await store().renew('wrk_two', [id], 1_000)).toEqual([id]);
    expect(await store().advance(theirs!, 1)).toBe(true);
    expect(await store().end(theirs!, undefined, new Date())).toBe(true);
  });

  it('fails when it ends its worker each time', async () => {
    const handler = new TestHandler([() => Promise.resolve()]);
    const id = await handler.request({}, LOST);
    await make.sql('UPDATE database_operations SET attempts = 4, host_id = $2 WHERE id = $1', [id, database.hostId]);
    expect(await ended(id)).toMatchObject({ state: 'failed', error_code: 'internal_error' });
  });

  it('is taken at once by the next process of its host', async () => {
    const handler = new TestHandler([() => Promise.resolve()]);
    const id = await handler.request({}, LOST);
    await claim(LOST, 'wrk_one');
    await store().endEarlierLeases('dbh_other', 'wrk_two');
    expect(await claim(LOST, 'wrk_two')).toEqual([]);
    await store().endEarlierLeases(LOST, 'wrk_one');
    expect(await claim(LOST, 'wrk_two')).toEqual([]);
    await store().endEarlierLeases(LOST, 'wrk_two');
    expect(await claim(LOST, 'wrk_two')).toMatchObject([{ id }]);
    await make.sql('DELETE FROM database_operations WHERE id = $1', [id]);
  });

  it('is done by another host when its own is lost before the database was created', async () => {
    await make.sql(
      `INSERT INTO database_hosts (id, address, certificate_sha256, engine, postgres_version, seen_at)
       SELECT 'dbh_gone', address, '', engine, postgres_version, now() FROM database_hosts WHERE id = $1`,
      [database.hostId],
    );
    // It has the fewest databases, so it gets the next one.
    const { id } = await databases.created();
    const hostOf = async (): Promise<string> =>
      (await make.sql<{ host_id: string }>('SELECT host_id FROM databases WHERE id = $1', [id]))[0]!.host_id;
    expect(await hostOf()).toBe('dbh_gone');
    await make.sql("UPDATE database_hosts SET seen_at = now() - interval '50 seconds' WHERE id = 'dbh_gone'");
    await app.runSchedule('lost-database-creations');
    expect(await hostOf()).toBe('dbh_gone');
    await make.sql("UPDATE database_hosts SET seen_at = now() - interval '70 seconds' WHERE id = 'dbh_gone'");
    await app.runSchedule('lost-database-creations');
    await databases.until(id as string, 'ready');
    expect(await hostOf()).toBe(database.hostId);
    await make.sql("DELETE FROM database_hosts WHERE id = 'dbh_gone'");
  });

  it('is handed back when its process stops, without a fault being counted', async () => {
    const handler = new TestHandler([() => Promise.resolve()]);
    const id = await handler.request({}, LOST);
    const [mine] = await claim(LOST, 'wrk_one');
    await store().postpone(mine!, { delayMs: 0, isFault: false });
    expect(await rowOf(id)).toMatchObject({ state: 'pending', attempts: 0, worker_id: null, lease_until: null });
    await make.sql('DELETE FROM database_operations WHERE id = $1', [id]);
  });
});

describe('a process that dies at a step of a creation or deletion', () => {
  const clusterOf = async (id: string): Promise<string> =>
    (await make.sql<{ cluster_id: string }>('SELECT cluster_id FROM databases WHERE id = $1', [id]))[0]!.cluster_id;

  /** Does as if the process died after the work of a step and before anything was recorded. */
  async function dieAfter(work: 'create' | 'sleep' | 'drop', id: string): Promise<void> {
    const engine = app.get(DatabaseEngine);
    const original: (clusterId: string) => Promise<void> = engine[work].bind(engine);
    const clusterId = await clusterOf(id);
    let left = 1;
    jest.spyOn(engine, work).mockImplementation(async (asked: string) => {
      await original(asked);
      if (asked === clusterId && left-- > 0) throw new Error(`the process died after ${work}`);
    });
  }

  it('leaves a whole database when it dies after its data was made', async () => {
    const engine = app.get(DatabaseEngine);
    const original = engine.create.bind(engine);
    const attempts: string[] = [];
    jest.spyOn(engine, 'create').mockImplementation(async (clusterId) => {
      await original(clusterId);
      attempts.push(clusterId);
      if (attempts.length === 1) throw new Error('the process died');
    });
    const { id } = await databases.created();
    await databases.until(id as string, 'ready');
    expect(attempts).toEqual([await clusterOf(id as string), await clusterOf(id as string)]);
    expect((await engine.measure(await clusterOf(id as string))).bytes).toBeGreaterThanOrEqual(0n);
  });

  it.each(['sleep', 'drop'] as const)('leaves nothing of a removed one when it dies after %s', async (work) => {
    await databases.deleted(database.id);
    await dieAfter(work, database.id);
    await make.sql("UPDATE databases SET deleted_at = now() - interval '8 days' WHERE id = $1", [database.id]);
    await app.runSchedule('deleted-databases');
    await eventually(
      async () => (await make.sql('SELECT FROM databases WHERE id = $1', [database.id])).length === 0,
      'the row is gone',
      15_000,
    );
  });
});
