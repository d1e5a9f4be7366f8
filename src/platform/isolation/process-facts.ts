import { readdirSync, readFileSync, readlinkSync, statfsSync } from 'node:fs';

/** Facts of the host's kernel about a process. They come only from `/proc`, whose contents no program can write. */
export interface ProcessSample {
  readonly cpuMs: number;
  readonly residentBytes: number;
  readonly tasks: number;
}

/** USER_HZ is 100 on every supported architecture. Pages are 4 KiB on x64, and this assumes the same on arm64. */
const TICK_MS = 10;
const PAGE_BYTES = 4096;

const STOPPED: ReadonlySet<string> = new Set(['T', 't']);
const DEAD: ReadonlySet<string> = new Set(['Z', 'X', 'x']);
const NAMESPACES = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts'] as const;

/** To look at a number takes 20 µs, to list all processes takes milliseconds. */
const NEAR = 32;

/** A reading of all processes takes milliseconds where there are many. Half the interval of a watch is soon enough. */
const SHARED_FOR_MS = 25;
let latest: { readonly atMs: number; readonly all: readonly Stat[] } = { atMs: -Infinity, all: [] };

interface TreeSample extends ProcessSample {
  readonly pids: readonly number[];
  /** The processes with their start times, which tell each from a later one with the same number. */
  readonly members: readonly { readonly pid: number; readonly ticks: string }[];
  readonly sessions: readonly number[];
}

/** Returns null when the process is gone. */
export function sampleProcess(pid: number): ProcessSample | null {
  const fields = statFields(pid);
  if (fields === null) return null;
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    residentBytes: Number(fields[21]) * PAGE_BYTES,
    tasks: Number(fields[17]),
  };
}

/**
 * Measures a process and all of its descendants together. What they share with others, such as the pages of their
 * programs, is not counted. No process can escape this, because orphans inside are adopted by the first process of
 * their namespace.
 */
export function sampleTree(root: number): TreeSample {
  return treeIn(allProcesses(), root);
}

/** {@link sampleTree} of a moment ago. Programs are watched at the same time, and one reading serves them all. */
export function sampleTreeOfLate(root: number): TreeSample {
  const nowMs = performance.now();
  if (nowMs - latest.atMs > SHARED_FOR_MS) latest = { atMs: nowMs, all: allProcesses() };
  return treeIn(latest.all, root);
}

const allProcesses = (): Stat[] => numericEntriesOfProc().flatMap((pid) => statOf(pid) ?? []);

function treeIn(all: readonly Stat[], root: number): TreeSample {
  const children = new Map<number, Stat[]>();
  for (const stat of all) {
    const siblings = children.get(stat.parent);
    if (siblings === undefined) children.set(stat.parent, [stat]);
    else siblings.push(stat);
  }
  const members = all.filter(({ pid }) => pid === root);
  for (const member of members) members.push(...(children.get(member.pid) ?? []));
  return {
    pids: members.map(({ pid }) => pid),
    members: members.map(({ pid, startTicks: ticks }) => ({ pid, ticks })),
    sessions: [...new Set(members.map(({ session }) => session))],
    cpuMs: members.reduce((sum, { ticks }) => sum + ticks, 0) * TICK_MS,
    residentBytes: members.reduce((sum, { pid }) => sum + ownBytesOf(pid), 0),
    tasks: members.reduce((sum, { threads }) => sum + threads, 0),
  };
}

/** Returns how many processes and threads a user has on this machine. */
export function tasksOfUser(uid: number): number {
  return numericEntriesOfProc()
    .filter((pid) => ownerOf(pid) === uid)
    .reduce((sum, pid) => sum + (statOf(pid)?.threads ?? 0), 0);
}

/** The kernel gives the first namespace of processes this number. */
const FIRST_PROCESSES = 'pid:[4026531836]';
/** A role of the service has some twenty threads, and a machine a few containers. */
const TASKS_ELSEWHERE = 512;

/**
 * Returns how many tasks of its user a process allows for that it cannot see: those of other containers, which the
 * kernel counts with its own. Without them, a limit for the user may be reached before a program begins.
 */
export function unseenTasks(): number {
  try {
    return readlinkSync('/proc/self/ns/pid') === FIRST_PROCESSES ? 0 : TASKS_ELSEWHERE;
  } catch {
    return 0;
  }
}

/** True when the process is stopped or already dead. The letters of the states are those of proc(5). */
export function isStopped(pid: number): boolean {
  const fields = statFields(pid);
  if (fields === null || STOPPED.has(fields[0] ?? '')) return true;
  if (!DEAD.has(fields[0] ?? '')) return false;
  // A process whose first thread has ended looks dead, while its other threads run.
  return Number(fields[17]) <= 1 || threadStatesOf(pid).every((state) => STOPPED.has(state) || DEAD.has(state));
}

/** True when the first thread of the process has ended, even if its parent has not reaped it. */
export function isDead(pid: number): boolean {
  return DEAD.has(statFields(pid)?.[0] ?? 'X');
}

function threadStatesOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => statFields(`${pid}/task/${thread}`)?.[0] ?? 'X');
  } catch {
    return [];
  }
}

/** Returns the fields of `/proc/<pid>/status`, such as `Seccomp` or `CapEff`; null when the process is gone. */
export function processStatus(pid: number): Readonly<Record<string, string>> | null {
  const text = readOrNull(`/proc/${pid}/status`);
  if (text === null) return null;
  return Object.fromEntries(
    text.split('\n').map((line) => {
      const [name = '', ...rest] = line.split(':');
      return [name, rest.join(':').trim()];
    }),
  );
}

/** Returns a hard limit of `/proc/<pid>/limits`, such as `Max open files`; null when there is none. */
export function processLimit(pid: number, name: string): number | null {
  const line = readOrNull(`/proc/${pid}/limits`)
    ?.split('\n')
    .find((each) => each.startsWith(name));
  const hard = line?.slice(name.length).trim().split(/\s+/)[1];
  return hard === undefined || hard === 'unlimited' ? null : Number(hard);
}

/** Returns the namespaces of a process, such as `net:[4026531840]`; an empty list when it is gone. */
export function namespacesOf(pid: number): string[] {
  try {
    return NAMESPACES.map((name) => readlinkSync(`/proc/${pid}/ns/${name}`));
  } catch {
    return [];
  }
}

/** Returns when the process started, in ticks since boot. Together with the id it identifies one process forever. */
export function startTicks(pid: number): string | null {
  return statFields(pid)?.[19] ?? null;
}

/** Returns the first child of a process. Ids are assigned in order, so the ids after the parent's are tried first. */
export function childOf(parent: number): number | null {
  const isChild = (pid: number): boolean => statFields(pid)?.[1] === String(parent);
  for (let pid = parent + 1; pid <= parent + 8; pid++) {
    if (isChild(pid)) return pid;
  }
  return numericEntriesOfProc().find(isChild) ?? null;
}

/**
 * Returns the child that has this id in its parent's own namespace; null when it is gone. The newest processes are
 * tried first.
 */
export function childByInnerId(parent: number, innerId: number): number | null {
  const isIt = (pid: number): boolean => {
    const status = processStatus(pid);
    return status?.PPid === String(parent) && status.NSpid?.split(/\s+/)[1] === String(innerId);
  };
  const newest = Number(readOrNull('/proc/loadavg')?.trim().split(' ').at(-1));
  for (let pid = newest; pid > newest - NEAR; pid--) {
    if (isIt(pid)) return pid;
  }
  return numericEntriesOfProc().find(isIt) ?? null;
}

/**
 * Returns how many files a program has created in its `/tmp`; null when it is gone. This asks the kernel for two
 * counters and opens nothing: the root inside is read-only and `/tmp` is a mount point there, so the path cannot be
 * redirected.
 */
export function scratchFilesOf(pid: number, directories: readonly string[]): number | null {
  try {
    return directories
      .map((directory) => statfsSync(`/proc/${pid}/root${directory}`))
      .reduce((sum, { files, ffree }) => sum + files - ffree, 0);
  } catch {
    return null;
  }
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** The time of the process and of the children that it has reaped. */
  readonly ticks: number;
  readonly threads: number;
  readonly startTicks: string;
}

function statOf(pid: number): Stat | null {
  const fields = statFields(pid);
  if (fields === null) return null;
  const number = (index: number): number => Number(fields[index]);
  return {
    pid,
    parent: number(1),
    session: number(3),
    ticks: number(11) + number(12) + number(13) + number(14),
    threads: number(17),
    startTicks: fields[19] ?? '',
  };
}

function ownBytesOf(pid: number): number {
  const status = processStatus(pid);
  const kibibytes = (name: string): number => parseInt(status?.[name] ?? '0', 10);
  return (kibibytes('RssAnon') + kibibytes('RssShmem')) * 1024;
}

function ownerOf(pid: number): number | null {
  const uid = processStatus(pid)?.Uid?.split(/\s+/)[0];
  return uid === undefined ? null : Number(uid);
}

function numericEntriesOfProc(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Returns the fields after the name in `/proc/<pid>/stat` (proc(5), field 3 on); the name itself may hold anything. */
function statFields(pid: number | string): string[] | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
