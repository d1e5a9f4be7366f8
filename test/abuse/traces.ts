import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What sandboxes leave traces in. Only what descends from this process is looked at: others work on the machine, too. */
export interface Traces {
  readonly processes: number;
  readonly cgroups: number;
  readonly mounts: number;
  /** Of the process that keeps the sandboxes. */
  readonly descriptors: number;
}

export function traces(): Traces {
  const descendants = descendantsOf(process.pid);
  const host = descendants.find(({ command }) => command.includes('sandbox-host'));
  return {
    processes: descendants.length,
    cgroups: host === undefined ? 0 : ['memory', 'pids', 'cpuacct'].reduce((sum, controller) => sum + cgroupsOf(host.pid, controller), 0),
    mounts: readFileSync('/proc/self/mountinfo', 'utf8').split('\n').length,
    descriptors: host === undefined ? 0 : readdirSync(`/proc/${host.pid}/fd`).length,
  };
}

/** The resident memory of the process that keeps the sandboxes. */
export function hostResidentBytes(): number {
  const host = descendantsOf(process.pid).find(({ command }) => command.includes('sandbox-host'));
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${host!.pid}/status`, 'utf8'))?.[1]);
}

/** Waits until there is no more than there was; what ends takes the kernel a moment. */
export async function untilNoMoreThan(before: Traces, withinMs = 3_000): Promise<void> {
  const until = performance.now() + withinMs;
  let now = traces();
  while (performance.now() < until && exceeds(now, before)) {
    await sleep(15);
    now = traces();
  }
  expect({ now, exceeds: exceeds(now, before) }).toEqual({ now, exceeds: false });
}

function exceeds(now: Traces, before: Traces): boolean {
  return (Object.keys(before) as (keyof Traces)[]).some((name) => now[name] > before[name]);
}

interface Descendant {
  readonly pid: number;
  readonly command: string;
}

function descendantsOf(ancestor: number): Descendant[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    const stat = readOrEmpty(`/proc/${pid}/stat`);
    return stat === '' ? [] : [{ pid: Number(pid), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }];
  });
  const below = (parent: number): number[] => all.filter((each) => each.parent === parent).flatMap(({ pid }) => [pid, ...below(pid)]);
  return below(ancestor).map((pid) => ({ pid, command: readOrEmpty(`/proc/${pid}/cmdline`) }));
}

/** Those that the process has made, wherever they are; it gives them its id as name. Where version 1 is mounted. */
function cgroupsOf(host: number, controller: string): number {
  const count = (directory: string): number => {
    try {
      return readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory())
        .reduce((sum, { name }) => sum + (name.startsWith(`isolated-${host}-`) ? 1 : 0) + count(`${directory}/${name}`), 0);
    } catch {
      return 0;
    }
  };
  return count(`/sys/fs/cgroup/${controller}`);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
