import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What sandboxes leave traces in. Only what descends from this process is looked at: others work on the machine, too.
 */
export interface Traces {
  readonly processes: number;
  /** With something in them; empty ones are kept for the next sandbox. */
  readonly cgroups: number;
  readonly mounts: number;
  /** Open descriptors of the processes that keep sandboxes and sessions. */
  readonly descriptors: number;
}

export function traces(): Traces {
  const descendants = descendantsOf(process.pid);
  const hosts = descendants.filter(({ command }) => command.includes('sandbox-host')).map(({ pid }) => pid);
  return {
    processes: descendants.length,
    cgroups: hosts.flatMap((pid) => cgroupsOf(pid)).filter((path) => readOrEmpty(`${path}/cgroup.procs`) !== '').length,
    // Other tests name networks at the same time, and each name is a mount.
    mounts: readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .filter((line) => !line.includes(' /run/netns/')).length,
    descriptors: hosts.reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0),
  };
}

/** The process that keeps the sandboxes. */
export function hostPid(): number {
  return descendantsOf(process.pid).find(({ command }) => command.includes('sandbox-host.process'))!.pid;
}

/** The templates below a host that forks. Their forks have a namespace more. */
export function templatesOf(host: number): number[] {
  return descendantsOf(host)
    .filter(({ command }) => command.includes('python-template.py'))
    .map(({ pid }) => pid)
    .filter((pid) => {
      const inside = /^NSpid:\s+(.*)$/m.exec(readOrEmpty(`/proc/${pid}/status`))?.[1]?.split(/\s+/) ?? [];
      return inside.length === 2 && inside[1] === '2';
    });
}

export function residentBytes(pid: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** Waits until there is no more than there was; what ends takes the kernel a moment. */
export async function untilNoMoreThan(before: Traces, withinMs = 3_000): Promise<void> {
  const until = performance.now() + withinMs;
  let now = traces();
  while (performance.now() < until && exceeds(now, before)) {
    await sleep(15);
    now = traces();
  }
  expect({ now, before, exceeds: exceeds(now, before) }).toEqual({ now, before, exceeds: false });
}

function exceeds(now: Traces, before: Traces): boolean {
  return (Object.keys(before) as (keyof Traces)[]).some((name) => now[name] > before[name]);
}

interface Descendant {
  readonly pid: number;
  readonly command: string;
}

function descendantsOf(ancestor: number): Descendant[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const stat = readOrEmpty(`/proc/${pid}/stat`);
      return stat === ''
        ? []
        : [{ pid: Number(pid), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }];
    });
  const below = (parent: number): number[] =>
    all.filter((each) => each.parent === parent).flatMap(({ pid }) => [pid, ...below(pid)]);
  return below(ancestor).map((pid) => ({ pid, command: readOrEmpty(`/proc/${pid}/cmdline`) }));
}

/** Finds all cgroups of the process, which contain its id in their names, where cgroups version 1 is mounted. */
export function cgroupsOf(host: number): string[] {
  const below = (directory: string): string[] => {
    try {
      return readdirSync(directory, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .flatMap(({ name }) => [
          ...(name.startsWith(`isolated-${host}-`) ? [`${directory}/${name}`] : []),
          ...below(`${directory}/${name}`),
        ]);
    } catch {
      return [];
    }
  };
  return ['memory', 'pids', 'cpuacct'].flatMap((controller) => below(`/sys/fs/cgroup/${controller}`));
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
