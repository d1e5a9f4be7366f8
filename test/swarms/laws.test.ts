import fc from 'fast-check';
import { TaskBoard } from '../../src/modules/swarms/board/task-board.js';
import { cycleIn } from '../../src/modules/swarms/domain/task-graph.js';
import type { SwarmTask, TaskState } from '../../src/modules/swarms/persistence/swarm-rows.js';
import { DomainError } from '../../src/platform/errors/domain-error.js';
import { Make, type Person } from '../support/make.js';
import { type ClaimerPart, TaskClaimer } from '../support/task-claimer.js';
import { eventually, useApp } from '../support/test-app.js';
import { addSwarm, endLease } from './support.js';

const HOLDER = { runId: null, userId: 'usr_test', name: null };

/** What may follow each state, also in several steps of one operation. */
const FOLLOWING: Readonly<Record<TaskState, readonly TaskState[]>> = {
  blocked: ['open', 'cancelled'],
  open: ['claimed', 'blocked', 'cancelled'],
  claimed: ['done', 'failed', 'open', 'cancelled'],
  done: [],
  failed: [],
  cancelled: [],
};

describe('laws of the board', () => {
  // What the schedules do is called here, so that a sequence is the same each time.
  const app = useApp({}, 'api');
  const make = new Make(app);
  let owner: Person;
  let orgId: string;
  let swarm: string;
  const claimers: TaskClaimer[] = [];

  beforeAll(async () => {
    owner = await make.person({ plan: 'enterprise' });
    orgId = owner.organization.id;
  });
  beforeEach(async () => {
    swarm = await addSwarm(app, make, orgId);
  });
  afterEach(async () => {
    await Promise.all(claimers.splice(0).map((claimer) => claimer.stop()));
  });

  const board = (): TaskBoard => app.get(TaskBoard);
  const addMany = (count: number): Promise<SwarmTask[]> =>
    board().add(
      swarm,
      Array.from({ length: count }, (_, index) => ({ title: `${index}`, needs: [], labels: [], maxAttempts: 3 })),
      () => '',
    );
  const claimerOf = async (...parts: ClaimerPart[]): Promise<TaskClaimer> => {
    const claimer = new TaskClaimer({
      settings: {
        ...app.sharedSettings,
      },
      orgId,
      swarmId: swarm,
      parts,
    });
    claimers.push(claimer);
    await claimer.ready();
    return claimer;
  };
  const runAll = (all: readonly TaskClaimer[]): Promise<{ won: readonly string[]; refused: object }[]> => {
    for (const claimer of all) claimer.begin();
    return Promise.all(all.map((claimer) => claimer.report()));
  };

  it('1,000 claims of tasks race in three processes, and each task has one winner', async () => {
    const ids = (await addMany(334)).map(({ id }) => id);
    const racing = await Promise.all([1, 2, 3].map(() => claimerOf({ do: 'race', ids })));
    const reports = await runAll(racing);
    expect(reports.flatMap(({ won }) => won).sort()).toEqual([...ids].sort());
    // One may be the first at all of them.
    expect(reports.map(({ won, refused }) => ({ task_already_claimed: 0, ...refused, won: won.length }))).toEqual(
      reports.map(({ won }) => ({ task_already_claimed: ids.length - won.length, won: won.length })),
    );
    expect(
      await make.sql('SELECT DISTINCT fence::int, attempts, state FROM swarm_tasks WHERE swarm_id = $1', [swarm]),
    ).toEqual([{ fence: 1, attempts: 1, state: 'claimed' }]);
  }, 120_000);

  it('1,000 tasks are given out by three processes, each once', async () => {
    const ids = (await addMany(1_000)).map(({ id }) => id);
    const draining = await Promise.all([1, 2, 3].map(() => claimerOf({ do: 'drain' })));
    const reports = await runAll(draining);
    expect(reports.flatMap(({ won }) => won).sort()).toEqual([...ids].sort());
    expect(reports.every(({ won }) => won.length > 0)).toBe(true);
  }, 120_000);

  it('a process that stands still beyond its lease writes nothing afterwards', async () => {
    for (const isClaimedAgain of [true, false]) {
      const [task] = await addMany(1);
      const { id } = task!;
      const claimer = await claimerOf({ do: 'hold', id, leaseSeconds: 1 }, { do: 'finish' });
      claimer.begin();
      expect(await claimer.report()).toEqual({ won: [id], refused: {} });
      claimer.signal('SIGSTOP');
      claimer.begin();
      let again: SwarmTask | undefined;
      await eventually(
        async () => {
          const [row] = await make.sql<{ isOver: boolean }>(
            'SELECT lease_expires_at <= clock_timestamp() AS "isOver" FROM swarm_tasks WHERE id = $1',
            [id],
          );
          return row!.isOver;
        },
        'the lease has ended',
        10_000,
      );
      if (isClaimedAgain) again = await board().claim(task!, { holder: HOLDER, leaseSeconds: 600 });
      claimer.signal('SIGCONT');
      expect(await claimer.report()).toEqual({ won: [], refused: { task_not_claimed: 1 } });
      const fence = isClaimedAgain ? 2 : 1;
      expect(await make.sql('SELECT state, fence::int, result FROM swarm_tasks WHERE id = $1', [id])).toEqual([
        { state: 'claimed', fence, result: null },
      ]);
      if (again !== undefined) expect(await board().complete(again, 'in time')).toMatchObject({ result: 'in time' });
    }
  }, 60_000);

  type Row = { id: string; state: TaskState; fence: number; attempts: number; max: number; open: number };
  const rowsOf = (): Promise<Row[]> =>
    make.sql(
      `SELECT id, state, fence::int, attempts, max_attempts AS max, open_needs AS open FROM swarm_tasks
       WHERE swarm_id = $1 ORDER BY id`,
      [swarm],
    );
  const needsOf = async (): Promise<Map<string, string[]>> => {
    const rows = await make.sql<{ id: string; needs: string[] }>(
      `SELECT id, ARRAY(SELECT need_id FROM swarm_task_needs WHERE task_id = id) AS needs FROM swarm_tasks
       WHERE swarm_id = $1`,
      [swarm],
    );
    return new Map(rows.map(({ id, needs }) => [id, needs]));
  };

  /** Everything that must hold between operations. */
  async function requireSound(before: readonly Row[], after: readonly Row[]): Promise<void> {
    for (const was of before) {
      const is = after.find(({ id }) => id === was.id)!;
      if (is.state !== was.state) expect(FOLLOWING[was.state]).toContain(is.state);
      expect(is.fence).toBeGreaterThanOrEqual(was.fence);
      expect(is.attempts).toBeLessThanOrEqual(is.max);
    }
    const needs = await needsOf();
    expect(cycleIn(needs)).toBeUndefined();
    const stateOf = new Map(after.map(({ id, state }) => [id, state]));
    for (const { id, state, open } of after) {
      const states = needs.get(id)!.map((need) => stateOf.get(need));
      const waiting = states.filter((each) => each !== 'done').length;
      if (state === 'blocked') expect([id, open]).toEqual([id, waiting]);
      if (state === 'open' || state === 'claimed' || state === 'done') expect([id, waiting]).toEqual([id, 0]);
      // A task that can never be done does not wait.
      if (states.some((each) => each === 'failed' || each === 'cancelled')) expect(state).toBe('cancelled');
    }
  }

  const operations = fc.array(
    fc.tuple(
      fc.constantFrom('add', 'need', 'claim', 'next', 'complete', 'fail', 'final', 'release', 'renew', 'expire'),
      fc.nat(11),
      fc.nat(11),
    ),
    { minLength: 5, maxLength: 40 },
  );

  it('hold after any sequence of operations', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (sequence) => {
        swarm = await addSwarm(app, make, orgId);
        for (const operation of sequence) {
          const before = await rowsOf();
          // Other errors than refusals are faults of the board.
          await operate(operation, before).catch((error: unknown) => {
            if (!(error instanceof DomainError)) throw error;
          });
          await requireSound(before, await rowsOf());
        }
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  it('hold when tasks are completed, failed and needed at the same time', async () => {
    for (let round = 0; round < 8; round++) {
      swarm = await addSwarm(app, make, orgId);
      const tasks = await addMany(12);
      const claimed = await Promise.all(
        tasks.map((task) => board().claim(task, { holder: HOLDER, leaseSeconds: 600 })),
      );
      const settle = (work: Promise<unknown>): Promise<unknown> =>
        work.catch((error: unknown) => {
          if (!(error instanceof DomainError)) throw error;
        });
      await Promise.all(
        claimed.flatMap((task, index) => {
          const other = claimed[(index + 5) % claimed.length]!;
          const dependant = { title: 'x', needs: [task.id, other.id], labels: [], maxAttempts: 3 };
          const failure = { code: 'x', message: 'x', isFinal: true };
          return [
            settle(board().add(swarm, [dependant], () => '')),
            settle(index % 6 === 5 ? board().fail(task, failure) : board().complete(task, 'done')),
            settle(board().add(swarm, [dependant], () => '')),
          ];
        }),
      );
      await requireSound([], await rowsOf());
    }
  }, 60_000);

  async function operate([name, one, other]: readonly [string, number, number], rows: readonly Row[]): Promise<void> {
    const at = (index: number): Row | undefined => (rows.length === 0 ? undefined : rows[index % rows.length]);
    const task = at(one);
    if (name === 'add') {
      const needs = [at(one), at(other)].flatMap((row, index) =>
        row !== undefined && one % 3 > index ? [row.id] : [],
      );
      const inputs = ['a', 'b'].map((key, index) => ({
        ...{ key, title: key, labels: [], maxAttempts: 1 + (other % 3) },
        needs: index === 0 ? needs : ['a', ...needs],
      }));
      await board().add(swarm, inputs, () => '');
      return;
    }
    if (name === 'next') await board().claimNext(swarm, undefined, { holder: HOLDER, leaseSeconds: 600 });
    if (task === undefined) return;
    // Now and then the fence is an old one.
    const claim = { id: task.id, swarmId: swarm, fence: other % 5 === 0 ? task.fence - 1 : task.fence };
    const failure = { code: 'x', message: 'x' };
    switch (name) {
      case 'need':
        await board().addNeeds({ ...task, swarmId: swarm, orgId } as unknown as SwarmTask, [at(other)!.id]);
        return;
      case 'claim':
        await board().claim({ id: task.id, orgId }, { holder: HOLDER, leaseSeconds: 600 });
        return;
      case 'complete':
        await board().complete(claim, { done: one });
        return;
      case 'fail':
      case 'final':
        await board().fail(claim, { ...failure, isFinal: name === 'final' });
        return;
      case 'release':
        await board().release(claim);
        return;
      case 'renew':
        await board().renew(claim, 60);
        return;
      case 'expire':
        if (task.state !== 'claimed') return;
        await endLease(make, task.id);
        await board().expire(claim);
    }
  }
});
