import fc from 'fast-check';
import { type CreateTaskInput, cycleIn, faultsOfMoreNeeds, type KnownTask, placeTasks } from './task-graph.js';

const input = (key: string, needs: readonly string[] = []): CreateTaskInput => ({
  key,
  title: key,
  needs,
  labels: [],
  maxAttempts: 3,
});
const place = (inputs: readonly CreateTaskInput[], board: readonly KnownTask[] = []): ReturnType<typeof placeTasks> => {
  let count = 0;
  return placeTasks(inputs, { board, nextId: () => `new-${++count}`, pathOf: (index) => `tasks[${index}].` });
};
const codes = (faults: readonly { path: string; code: string }[]): string[] =>
  faults.map(({ path, code }) => `${path} ${code}`);

/** Reaches itself along needs: the definition, tried from every task. */
function hasCycle(needs: ReadonlyMap<string, readonly string[]>): boolean {
  return [...needs.keys()].some((start) => {
    const seen = new Set<string>();
    const queue = [...(needs.get(start) ?? [])];
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      if (id === start) return true;
      if (!seen.has(id)) queue.push(...(needs.get(id) ?? []));
      seen.add(id);
    }
    return false;
  });
}

const graphs = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 30 }).map((edges) => {
  const needs = new Map<string, string[]>();
  for (const [from, to] of edges) needs.set(`${from}`, [...(needs.get(`${from}`) ?? []), `${to}`]);
  return needs;
});

describe('cycleIn', () => {
  it('finds a cycle exactly when a task reaches itself, and names one', () => {
    fc.assert(
      fc.property(graphs, (needs) => {
        const cycle = cycleIn(needs);
        expect(cycle !== undefined).toBe(hasCycle(needs));
        cycle?.forEach((id, index) => {
          expect(needs.get(id)).toContain(cycle[(index + 1) % cycle.length]);
        });
      }),
    );
  });

  it('follows a chain of any length', () => {
    const chain = new Map(Array.from({ length: 50_000 }, (_, index) => [`${index}`, [`${index + 1}`]] as const));
    expect(cycleIn(chain)).toBeUndefined();
    expect(cycleIn(new Map([...chain, ['50000', ['0']]]))).toHaveLength(50_001);
  });
});

describe('placeTasks', () => {
  it('resolves keys in any order, and counts the needs that are not done', () => {
    const board: KnownTask[] = [
      { id: 'done', state: 'done', needs: [] },
      { id: 'open', state: 'open', needs: [] },
    ];
    const { tasks, faults } = place([input('late', ['early', 'done', 'open', 'open']), input('early')], board);
    expect(faults).toEqual([]);
    expect(tasks).toMatchObject([
      { id: 'new-1', needs: ['new-2', 'done', 'open'], openNeeds: 2 },
      { id: 'new-2', needs: [], openNeeds: 0 },
    ]);
  });

  it('names every fault with its path', () => {
    const board: KnownTask[] = [{ id: 'failed', state: 'failed', needs: [] }];
    const many = Array.from({ length: 51 }, (_, index) => `n${index}`);
    expect(codes(place([input('a', ['failed', 'nowhere']), input('a'), input('b', many)], board).faults)).toEqual([
      'tasks[1].key is_unique',
      'tasks[0].needs[0] can_be_done',
      'tasks[0].needs[1] is_task',
      'tasks[2].needs max_needs',
    ]);
    expect(
      codes(
        place(
          Array.from({ length: 1_000 }, (_, index) => input(`${index}`)),
          board,
        ).faults,
      ),
    ).toEqual([' max_tasks']);
  });

  it('refuses a cycle, and a task that needs itself', () => {
    const { faults } = place([input('a', ['b']), input('b', ['c']), input('c', ['b'])]);
    expect(faults).toMatchObject([{ path: 'tasks[1].needs', code: 'is_acyclic', received: ['b', 'c'] }]);
    expect(codes(place([input('a', ['a'])]).faults)).toEqual(['tasks[0].needs is_acyclic']);
  });
});

describe('faultsOfMoreNeeds', () => {
  const board: KnownTask[] = [
    { id: 'one', state: 'open', needs: [] },
    { id: 'two', state: 'blocked', needs: ['one'] },
    { id: 'three', state: 'blocked', needs: ['two'] },
  ];

  it('refuses a need that closes a cycle', () => {
    expect(faultsOfMoreNeeds('three', ['one'], board)).toEqual([]);
    expect(codes(faultsOfMoreNeeds('one', ['three'], board))).toEqual(['needs is_acyclic']);
    expect(codes(faultsOfMoreNeeds('one', ['one'], board))).toEqual(['needs is_acyclic']);
    expect(codes(faultsOfMoreNeeds('one', ['four'], board))).toEqual(['needs[0] is_task']);
  });
});
