import { existsSync } from 'node:fs';

import { type IsolationSpec } from './isolation-spec.js';
import { type LibraryPaths } from './library-mounts.js';

/** bubblewrap reads the seccomp filter here and closes it. */
export const SECCOMP_DESCRIPTOR = 5;

/** bubblewrap tells the process id of its child here and closes it before the program starts. */
export const INFO_DESCRIPTOR = 6;

export const BUBBLEWRAP_PLACES: readonly string[] = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];

/** Outside of `/proc/<pid>`, what would tell of the host; `subset=pid` would hide all of it, but bubblewrap cannot ask for that. */
const HIDDEN_IN_PROC = ['/proc/cmdline', '/proc/keys', '/proc/kallsyms'].filter((path) => existsSync(path));

/** No more devices than these: bubblewrap's `--dev` also makes pseudo-terminals and a writable `/dev/shm`. */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'] as const;

/** Another number than on the host, so that nothing inside tells which user of the host it is. */
const USER_INSIDE = '1000';

/** The arguments of `bwrap`, its program's included. */
export function bubblewrapArguments(spec: IsolationSpec, libraries: LibraryPaths): string[] {
  return [
    '--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup',
    '--uid', USER_INSIDE, '--gid', USER_INSIDE, '--hostname', 'sandbox',
    ...libraries.directories.flatMap((path) => ['--ro-bind', path, path]),
    ...libraries.links.flatMap(({ to, at }) => ['--symlink', to, at]),
    ...spec.mounts.flatMap(({ from, to }) => ['--ro-bind', from, to]),
    '--proc', '/proc',
    ...HIDDEN_IN_PROC.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    // bubblewrap's init, of the same user as the program, which could otherwise write to its memory.
    '--tmpfs', '/proc/1', '--remount-ro', '/proc/1',
    ...DEVICES.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]),
    '--symlink', '/proc/self/fd', '/dev/fd',
    '--symlink', '/proc/self/fd/0', '/dev/stdin',
    '--symlink', '/proc/self/fd/1', '/dev/stdout',
    '--symlink', '/proc/self/fd/2', '/dev/stderr',
    '--size', String(spec.limits.scratchBytes), '--tmpfs', '/tmp',
    '--remount-ro', '/',
    '--chdir', '/tmp',
    ...Object.entries(spec.environment).flatMap(([name, value]) => ['--setenv', name, value]),
    '--cap-drop', 'ALL', '--die-with-parent', '--new-session',
    '--seccomp', String(SECCOMP_DESCRIPTOR), '--info-fd', String(INFO_DESCRIPTOR),
    '--', ...spec.command,
  ];
}
