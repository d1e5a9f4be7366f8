import assert from 'node:assert';

import { SECCOMP_DESCRIPTOR } from './bubblewrap.js';

/** The first of the descriptors through which the launcher enters its cgroups; dash knows no numbers above 9. */
const FIRST_CGROUP_DESCRIPTOR = 7;
const LAST_CGROUP_DESCRIPTOR = 9;

/** What the launcher sets for everything that it starts; null where it is not bounded in this way. */
export interface LaunchOptions {
  readonly openFiles: number;
  readonly fileBytes: number;
  readonly cpuMs: number | null;
  readonly dataBytes: number | null;
  /** Of the user on the host: processes and threads, bubblewrap's own among them. */
  readonly processes: number | null;
  /** How many `cgroup.procs` were handed in. */
  readonly cgroups: number;
}

/** So that the watch outside, which knows why it kills, is always first. */
const CPU_GRACE_SECONDS = 2;

/**
 * The few lines of shell that run before bubblewrap: Node can set neither rlimits nor the cgroup of a child before its
 * first instruction. Entering through a descriptor needs no right to the path, which an unprivileged user lacks.
 */
export function launchScript({ openFiles, fileBytes, cpuMs, dataBytes, processes, cgroups }: LaunchOptions): string {
  assert(FIRST_CGROUP_DESCRIPTOR + cgroups - 1 <= LAST_CGROUP_DESCRIPTOR, 'dash has no descriptor for so many cgroups');
  return [
    'set -e',
    // Not before the watch for orphans knows of us: if the service is killed earlier, this line never comes.
    `read -r _ <&${SECCOMP_DESCRIPTOR}`,
    'ulimit -c 0',
    // Memory that RLIMIT_DATA does not count.
    'ulimit -s 8192',
    `ulimit -n ${whole(openFiles)}`,
    // In blocks of 512 bytes (POSIX).
    `ulimit -f ${whole(Math.ceil(fileBytes / 512))}`,
    ...(cpuMs === null ? [] : [`ulimit -t ${whole(Math.ceil(cpuMs / 1000) + CPU_GRACE_SECONDS)}`]),
    ...(dataBytes === null ? [] : [`ulimit -d ${whole(Math.ceil(dataBytes / 1024))}`]),
    // bash calls it -u, dash and busybox -p.
    ...(processes === null ? [] : [`ulimit -u ${whole(processes)} 2>/dev/null || ulimit -p ${whole(processes)}`]),
    ...Array.from({ length: cgroups }, (_, index) => enter(FIRST_CGROUP_DESCRIPTOR + index)),
    'exec "$@"',
  ].join('\n');
}

function enter(descriptor: number): string {
  return `echo 0 >&${descriptor}; exec ${descriptor}>&-`;
}

/** Nothing but digits may get into the script. */
function whole(value: number): string {
  assert(Number.isSafeInteger(value) && value >= 0, `${value} is no limit`);
  return value.toString();
}
