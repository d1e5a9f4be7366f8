import { readdirSync, readFileSync, statfsSync } from 'node:fs';

/** What the host's kernel says of a process. Only `/proc` is read, whose contents no program can write. */
export interface ProcessSample {
  readonly cpuMs: number;
  readonly residentBytes: number;
  readonly tasks: number;
}

/** USER_HZ is 100 on every architecture that we run on; pages are 4 KiB on x64 and, here, taken so on arm64. */
const TICK_MS = 10;
const PAGE_BYTES = 4096;

/** Null when the process is gone. */
export function sampleProcess(pid: number): ProcessSample | null {
  const fields = statFields(pid);
  if (fields === null) return null;
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    residentBytes: Number(fields[21]) * PAGE_BYTES,
    tasks: Number(fields[17]),
  };
}

/** The fields of `/proc/<pid>/status`, such as `Seccomp` or `CapEff`; null when the process is gone. */
export function processStatus(pid: number): Readonly<Record<string, string>> | null {
  const text = readOrNull(`/proc/${pid}/status`);
  if (text === null) return null;
  return Object.fromEntries(text.split('\n').map((line) => {
    const [name = '', ...rest] = line.split(':');
    return [name, rest.join(':').trim()];
  }));
}

/** A hard limit of `/proc/<pid>/limits`, such as `Max open files`; null when there is none. */
export function processLimit(pid: number, name: string): number | null {
  const line = readOrNull(`/proc/${pid}/limits`)?.split('\n').find((each) => each.startsWith(name));
  const hard = line?.slice(name.length).trim().split(/\s+/)[1];
  return hard === undefined || hard === 'unlimited' ? null : Number(hard);
}

/** When the process started, in ticks since boot: with the id it names one process for good. */
export function startTicks(pid: number): string | null {
  return statFields(pid)?.[19] ?? null;
}

/** The first child of a process. Ids are given out in order, so it is looked for right behind its parent first. */
export function childOf(parent: number): number | null {
  const isChild = (pid: number): boolean => statFields(pid)?.[1] === String(parent);
  for (let pid = parent + 1; pid <= parent + 8; pid++) {
    if (isChild(pid)) return pid;
  }
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).find(isChild) ?? null;
}

/**
 * How many files a sandbox has made in its `/tmp`; null when it is gone.
 *
 * This asks the kernel for two counters and opens nothing: the sandbox's root is read-only and `/tmp` is a mount point
 * there, so the path cannot be made to lead elsewhere.
 */
export function scratchFilesOf(pid: number): number | null {
  try {
    const { files, ffree } = statfsSync(`/proc/${pid}/root/tmp`);
    return files - ffree;
  } catch {
    return null;
  }
}

/** What follows the name in `/proc/<pid>/stat` (proc(5), field 3 on); the name itself may hold anything. */
function statFields(pid: number): string[] | null {
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
