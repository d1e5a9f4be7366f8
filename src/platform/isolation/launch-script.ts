import assert from 'node:assert';

import { SECCOMP_DESCRIPTOR } from './bubblewrap.js';

/** The first of the descriptors through which the launcher enters its cgroups. dash supports no numbers above 9. */
const FIRST_CGROUP_DESCRIPTOR = 7;
const LAST_CGROUP_DESCRIPTOR = 9;

/** The limits that the launcher sets for everything that it starts. Null means that the limit is not set. */
export interface LaunchOptions {
  readonly openFiles: number;
  readonly fileBytes: number;
  readonly cpuMs: number | null;
  readonly dataBytes: number | null;
  /** The limit for the host user: processes and threads, including bubblewrap's own. */
  readonly processes: number | null;
  /** How many `cgroup.procs` files were passed. */
  readonly cgroups: number;
  /** The path of `unshare`, for a program whose network the host prepares; null for any other. */
  readonly unshare: string | null;
}

/** The grace ensures that the watch outside, which knows why it kills, is always first. */
const CPU_GRACE_SECONDS = 2;

/** Returns the limit in the unit of the kernel. */
export const cpuSecondsOf = (cpuMs: number): number => Math.ceil(cpuMs / 1000) + CPU_GRACE_SECONDS;

/**
 * Returns the few lines of shell that run before bubblewrap: Node can set neither rlimits nor the cgroup of a child
 * before its first instruction. Entering through a descriptor needs no permission for the path, which an unprivileged
 * user lacks.
 */
export function launchScript(options: LaunchOptions): string {
  const { openFiles, fileBytes, cpuMs, dataBytes, processes, cgroups, unshare } = options;
  assert(
    FIRST_CGROUP_DESCRIPTOR + cgroups - 1 <= LAST_CGROUP_DESCRIPTOR,
    'dash has too few descriptors for the cgroups',
  );
  return [
    'set -e',
    // The launcher waits until the watch for orphans knows it. If the service is killed earlier, this line never
    // arrives.
    `read -r _ <&${SECCOMP_DESCRIPTOR}`,
    'ulimit -c 0',
    // RLIMIT_DATA does not count stacks.
    'ulimit -s 8192',
    `ulimit -n ${whole(openFiles)}`,
    // The unit is blocks of 512 bytes (POSIX).
    `ulimit -f ${whole(Math.ceil(fileBytes / 512))}`,
    ...(cpuMs === null ? [] : [`ulimit -t ${whole(cpuSecondsOf(cpuMs))}`]),
    ...(dataBytes === null ? [] : [`ulimit -d ${whole(Math.ceil(dataBytes / 1024))}`]),
    // bash calls the option -u, dash and busybox call it -p.
    ...(processes === null ? [] : [`ulimit -u ${whole(processes)} 2>/dev/null || ulimit -p ${whole(processes)}`]),
    ...Array.from({ length: cgroups }, (_, index) => enter(FIRST_CGROUP_DESCRIPTOR + index)),
    unshare === null ? 'exec "$@"' : inNetwork(unshare),
  ].join('\n');
}

/**
 * Creates a network, reports that, and continues when the host has prepared it. The network belongs to a user namespace
 * around the one that bubblewrap creates, so no capability inside of the isolation reaches the rules of the network.
 */
function inNetwork(unshare: string): string {
  assert(/^[\w/.-]+$/.test(unshare), 'the path of unshare must need no quotes');
  const wait = `echo >&${SECCOMP_DESCRIPTOR}; read -r _ <&${SECCOMP_DESCRIPTOR}; exec "$@"`;
  return `exec ${unshare} --user --map-root-user --net -- /bin/sh -c '${wait}' sh "$@"`;
}

function enter(descriptor: number): string {
  return `echo 0 >&${descriptor}; exec ${descriptor}>&-`;
}

/** Only digits may get into the script. */
function whole(value: number): string {
  assert(Number.isSafeInteger(value) && value >= 0, `${value} is not a valid limit`);
  return value.toString();
}
