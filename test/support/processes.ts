import { readFileSync, readdirSync } from 'node:fs';

/** A process with its start time, because its id may be reused later. */
export interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly startedAt: string;
}

/** Returns all descendants of a process, including those with another session or user. */
export function descendantsOf(pid: number): SeenProcess[] {
  const all = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => look(Number(entry)) ?? []);
  const found: SeenProcess[] = [];
  const parents = new Set([pid]);
  for (let grown = true; grown;) {
    const next = all.filter((process) => parents.has(process.parent) && !parents.has(process.pid));
    for (const process of next) parents.add(process.pid);
    found.push(...next);
    grown = next.length > 0;
  }
  return found;
}

/** Returns the processes that still run, without zombies. */
export function stillRunning(processes: readonly SeenProcess[]): SeenProcess[] {
  return processes.filter(({ pid, startedAt }) => look(pid)?.startedAt === startedAt);
}

/** Returns the state of proc(5), such as `R`, `S` or `T`, or undefined when there is no such process. */
export function stateOf(pid: number): string | undefined {
  try {
    return /^.*\) (.)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

function look(pid: number): SeenProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const afterName = stat.lastIndexOf(')');
    const [state, parent, ...rest] = stat.slice(afterName + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    return { pid, parent: Number(parent), name: stat.slice(stat.indexOf('(') + 1, afterName), startedAt: rest[17]! };
  } catch {
    return undefined;
  }
}
