import { existsSync } from 'node:fs';

import { type Mount } from './isolation-spec.js';
import { type LibraryPaths } from './library-mounts.js';

/** bubblewrap reads the seccomp filter here and closes it. */
export const SECCOMP_DESCRIPTOR = 5;

/** bubblewrap tells the process id of its child here; the program does not have it. */
export const INFO_DESCRIPTOR = 6;

export const BUBBLEWRAP_PLACES: readonly string[] = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];

/**
 * Outside of `/proc/<pid>`, what would tell of the host; `subset=pid` would hide all of it, but bubblewrap cannot ask
 * for that.
 */
const HIDDEN_IN_PROC = ['/proc/cmdline', '/proc/keys', '/proc/kallsyms'].filter((path) => existsSync(path));

/** No more devices than these: bubblewrap's `--dev` also makes pseudo-terminals and a writable `/dev/shm`. */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'] as const;

/** Another number than on the host, so that nothing inside tells which user of the host it is. */
const USER_INSIDE = '1000';

/** What a sandbox is made of, whatever runs in it. */
export interface IsolationShape {
  readonly mounts: readonly Mount[];
  /** A mount at `/tmp` takes the place of the memory there. */
  readonly writable: readonly Mount[];
  /** Where its program starts. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Of `/tmp`. */
  readonly scratchBytes: number;
  /** Whether bubblewrap says at the end that its program ran at all. */
  readonly tellsExit: boolean;
}

/** The options of `bwrap`; behind them come `--` and the command. */
export function bubblewrapOptions(shape: IsolationShape, libraries: LibraryPaths): string[] {
  // What lies within a place that can be written is mounted after it, or it would be hidden.
  const [later, earlier] = partition(shape.mounts, ({ to }) =>
    shape.writable.some((place) => to.startsWith(`${place.to}/`)),
  );
  const hasOwnTmp = shape.writable.some(({ to }) => to === '/tmp');
  return [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup',
    '--uid',
    USER_INSIDE,
    '--gid',
    USER_INSIDE,
    '--hostname',
    'sandbox',
    ...libraries.directories.flatMap((path) => ['--ro-bind', path, path]),
    ...libraries.links.flatMap(({ to, at }) => ['--symlink', to, at]),
    ...earlier.flatMap(({ from, to }) => ['--ro-bind', from, to]),
    '--proc',
    '/proc',
    ...HIDDEN_IN_PROC.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    // bubblewrap's init, of the same user as the program, which could otherwise write to its memory.
    '--tmpfs',
    '/proc/1',
    '--remount-ro',
    '/proc/1',
    ...DEVICES.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]),
    '--symlink',
    '/proc/self/fd',
    '/dev/fd',
    '--symlink',
    '/proc/self/fd/0',
    '/dev/stdin',
    '--symlink',
    '/proc/self/fd/1',
    '/dev/stdout',
    '--symlink',
    '/proc/self/fd/2',
    '/dev/stderr',
    ...(hasOwnTmp ? [] : ['--size', String(shape.scratchBytes), '--tmpfs', '/tmp']),
    ...shape.writable.flatMap(({ from, to }) => ['--bind', from, to]),
    ...later.flatMap(({ from, to }) => ['--ro-bind', from, to]),
    '--remount-ro',
    '/',
    '--chdir',
    shape.directory,
    ...Object.entries(shape.environment).flatMap(([name, value]) => ['--setenv', name, value]),
    '--cap-drop',
    'ALL',
    '--die-with-parent',
    '--new-session',
    '--seccomp',
    String(SECCOMP_DESCRIPTOR),
    shape.tellsExit ? '--json-status-fd' : '--info-fd',
    String(INFO_DESCRIPTOR),
  ];
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}
