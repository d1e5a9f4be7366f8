import assert from 'node:assert';

import { SECCOMP_DESCRIPTOR } from './bubblewrap.js';
import { type StartLimits } from './isolation-spec.js';

/** The first of the descriptors through which the launcher enters its cgroups; dash knows no numbers above 9. */
const FIRST_CGROUP_DESCRIPTOR = 7;
const LAST_CGROUP_DESCRIPTOR = 9;

export interface LaunchOptions {
  readonly limits: StartLimits;
  /** Processes and threads, bubblewrap's own among them. */
  readonly tasks: number;
  /** How many `cgroup.procs` were handed in. */
  readonly cgroups: number;
  /** Whether the sandbox has a host user to itself, so that a limit per user can be one per sandbox. */
  readonly ownUser: boolean;
}

/** So that the watch outside, which knows why it kills, is always first. */
const CPU_GRACE_SECONDS = 2;

/**
 * The few lines of shell that run before bubblewrap: Node can set neither rlimits nor the cgroup of a child before its
 * first instruction. Entering through a descriptor needs no right to the path, which an unprivileged user lacks.
 */
export function launchScript({ limits, tasks, cgroups, ownUser }: LaunchOptions): string {
  assert(FIRST_CGROUP_DESCRIPTOR + cgroups - 1 <= LAST_CGROUP_DESCRIPTOR, 'dash has no descriptor for so many cgroups');
  const kibibytes = Math.ceil((limits.memoryBytes + limits.idleDataBytes) / 1024);

  return [
    'set -e',
    // Not before the watch for orphans knows of us: if the service is killed earlier, this line never comes.
    `read -r _ <&${SECCOMP_DESCRIPTOR}`,
    'ulimit -c 0',
    // Memory that RLIMIT_DATA does not count.
    'ulimit -s 8192',
    `ulimit -n ${whole(limits.openFiles)}`,
    // In blocks of 512 bytes (POSIX).
    `ulimit -f ${whole(Math.ceil(limits.scratchBytes / 512))}`,
    `ulimit -t ${whole(Math.ceil(limits.cpuMs / 1000) + CPU_GRACE_SECONDS)}`,
    ...(cgroups === 0 ? [`ulimit -d ${whole(kibibytes)}`] : []),
    // A second service on this machine may lend the same user, so the cgroup, where there is one, does this better.
    // bash calls it -u, dash and busybox -p.
    ...(cgroups === 0 && ownUser ? [`ulimit -u ${whole(tasks)} 2>/dev/null || ulimit -p ${whole(tasks)}`] : []),
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
