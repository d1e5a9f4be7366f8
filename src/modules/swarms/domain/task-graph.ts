import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import type { TaskState } from '../persistence/swarm-rows.js';

const MAX_TASKS = 1_000;
export const MAX_NEEDS = 50;

/** Each task with the ids of the tasks that it needs. */
export type NeedsByTask = ReadonlyMap<string, readonly string[]>;

/** A task to add. Other tasks of the same request refer to it by its key. */
export interface CreateTaskInput {
  readonly key?: string | undefined;
  readonly title: string;
  readonly description?: string | undefined;
  /** Ids of tasks of the board, and keys of tasks of the same request. */
  readonly needs: readonly string[];
  readonly labels: readonly string[];
  readonly maxAttempts: number;
}

/** A task of the board, as far as needs are concerned. */
export interface KnownTask {
  readonly id: string;
  readonly state: TaskState;
  readonly needs: readonly string[];
}

/** A task to add, with its id and the ids of its needs. */
export interface PlacedTask extends CreateTaskInput {
  readonly id: string;
  /** How many of its needs are not done. */
  readonly openNeeds: number;
}

type Fault = Omit<FieldFault, 'in'>;

export interface Placement {
  readonly tasks: readonly PlacedTask[];
  readonly faults: readonly Fault[];
}

/** Returns the ids along a cycle of needs, or undefined when there is none. Nothing recurses: chains may be long. */
export function cycleIn(needs: NeedsByTask): string[] | undefined {
  const finished = new Set<string>();
  for (const start of needs.keys()) {
    const path: { id: string; next: number }[] = [{ id: start, next: 0 }];
    const onPath = new Set([start]);
    while (path.length > 0 && !finished.has(start)) {
      const top = path.at(-1)!;
      const need = needs.get(top.id)?.[top.next++];
      if (need === undefined) {
        finished.add(top.id);
        onPath.delete(top.id);
        path.pop();
      } else if (onPath.has(need)) {
        return path.slice(path.findIndex(({ id }) => id === need)).map(({ id }) => id);
      } else if (!finished.has(need)) {
        path.push({ id: need, next: 0 });
        onPath.add(need);
      }
    }
  }
  return undefined;
}

/** Resolves the keys of new tasks, and finds everything that is wrong with their needs. */
export function placeTasks(
  inputs: readonly CreateTaskInput[],
  { board, nextId, pathOf }: { board: readonly KnownTask[]; nextId: () => string; pathOf: (index: number) => string },
): Placement {
  const faults: Fault[] = [];
  if (board.length + inputs.length > MAX_TASKS) faults.push(tooMany(board.length));
  const known = new Map(board.map((task) => [task.id, task]));
  const ids = inputs.map(() => nextId());
  const byKey = new Map<string, string>();
  inputs.forEach(({ key }, index) => {
    if (key === undefined) return;
    if (byKey.has(key) || known.has(key)) faults.push(repeatedKey(`${pathOf(index)}key`, key));
    byKey.set(key, ids[index]!);
  });
  const added = new Set(ids);
  const tasks = inputs.map((input, index): PlacedTask => {
    const needs = [...new Set(input.needs.map((need) => byKey.get(need) ?? need))];
    faults.push(...faultsOfNeeds(needs, { known, added, path: `${pathOf(index)}needs` }));
    const openNeeds = needs.filter((need) => known.get(need)?.state !== 'done').length;
    return { ...input, id: ids[index]!, needs, openNeeds };
  });
  if (faults.length === 0) {
    const cycle = cycleIn(new Map(tasks.map(({ id, needs }) => [id, needs])));
    if (cycle !== undefined) {
      const keyOf = (id: string): string => inputs[ids.indexOf(id)]?.key ?? id;
      faults.push(cyclic(`${pathOf(ids.indexOf(cycle[0]!))}needs`, cycle.map(keyOf)));
    }
  }
  return { tasks, faults };
}

/** Finds what is wrong with more needs of a task of the board. */
export function faultsOfMoreNeeds(taskId: string, more: readonly string[], board: readonly KnownTask[]): Fault[] {
  const known = new Map(board.map((task) => [task.id, task]));
  const needs = [...new Set([...(known.get(taskId)?.needs ?? []), ...more])];
  const faults = faultsOfNeeds(needs, { known, added: new Set(), path: 'needs' });
  if (faults.length > 0) return faults;
  const cycle = cycleIn(new Map([...board.map((task) => [task.id, task.needs] as const), [taskId, needs]]));
  return cycle === undefined ? [] : [cyclic('needs', cycle)];
}

function faultsOfNeeds(
  needs: readonly string[],
  { known, added, path }: { known: ReadonlyMap<string, KnownTask>; added: ReadonlySet<string>; path: string },
): Fault[] {
  if (needs.length > MAX_NEEDS) {
    const message = `A task can need ${MAX_NEEDS} other tasks.`;
    return [{ path, code: 'max_needs', message, expected: { max: MAX_NEEDS }, received: needs.length }];
  }
  return needs.flatMap((need, index): Fault[] => {
    const at = { path: `${path}[${index}]`, received: need };
    if (added.has(need)) return [];
    const state = known.get(need)?.state;
    if (state === undefined)
      return [{ ...at, code: 'is_task', message: 'A need must be the id of a task of the same swarm.' }];
    if (state === 'failed' || state === 'cancelled')
      return [{ ...at, code: 'can_be_done', message: `The needed task is ${state}, so it is never done.` }];
    return [];
  });
}

const tooMany = (count: number): Fault => ({
  path: '',
  code: 'max_tasks',
  message: `A swarm can have ${MAX_TASKS} tasks, and this one has ${count}.`,
  expected: { max: MAX_TASKS },
});

const repeatedKey = (path: string, key: string): Fault => ({
  path,
  code: 'is_unique',
  message: 'Another task has this key.',
  received: key,
});

const cyclic = (path: string, cycle: readonly string[]): Fault => ({
  path,
  code: 'is_acyclic',
  message: `Tasks must not need each other in a cycle: ${[...cycle, cycle[0]!].slice(0, 12).join(' → ')}.`,
  received: cycle,
});
