import { existsSync } from 'node:fs';

import { type HostUser } from './host-users.js';
import { type Mount, type ScratchDirectory } from './isolation-spec.js';
import { type SystemInside } from './launch-spec.js';
import { type LibraryPaths } from './library-mounts.js';

/** bubblewrap reads the seccomp filter from this descriptor and closes it. */
export const SECCOMP_DESCRIPTOR = 5;

/** bubblewrap reports the process id of its child on this descriptor, which the program does not inherit. */
export const INFO_DESCRIPTOR = 6;

/** bubblewrap waits on this descriptor until the host has mapped the users of a template. */
export const TEMPLATE_MAP_DESCRIPTOR = 3;

export const BUBBLEWRAP_PLACES: readonly string[] = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];

/**
 * These files outside of `/proc/<pid>` reveal facts about the host. `subset=pid` would hide all of them, but bubblewrap
 * cannot set it.
 */
export const HIDDEN_IN_PROC = ['/proc/cmdline', '/proc/keys', '/proc/kallsyms'].filter((path) => existsSync(path));

/** The list is complete: bubblewrap's `--dev` would also create pseudo-terminals and a writable `/dev/shm`. */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'] as const;

/**
 * The capabilities, in its own user namespace, of a program that builds container images. Those over networks, devices,
 * modules and time are not among them.
 */
const CAPABILITIES_OF_BUILDERS = [
  ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID', 'SETPCAP', 'SETFCAP'],
  ...['SYS_ADMIN', 'SYS_CHROOT'],
];

/** The capabilities, in its own user namespace, with which a template makes each fork another user. */
const CAPABILITIES_OF_TEMPLATES = ['SETGID', 'SETUID'];

/** The number differs from the host's, so that nothing inside reveals the host user. */
export const USER_INSIDE = '1000';

/** The file system and environment of an isolated program. */
export interface IsolationShape {
  readonly mounts: readonly Mount[];
  /** A mount at `/tmp` replaces the one in memory. */
  readonly writable: readonly Mount[];
  readonly scratch?: readonly ScratchDirectory[];
  readonly system?: SystemInside;
  readonly links?: readonly { readonly to: string; readonly at: string }[];
  /** The working directory of the program. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The size of `/tmp`. */
  readonly scratchBytes: number;
  /** True when bubblewrap reports at the end whether its program ran at all. */
  readonly tellsExit: boolean;
  /** True when the program stays in the network that bubblewrap itself is started in. */
  readonly keepsNetwork: boolean;
  /** Set for a program that isolates its own forks. */
  readonly template?: {
    /** Its user where the host maps several; null where there is only the service's own. */
    readonly user: HostUser | null;
  };
}

/** Returns the options of `bwrap`, which precede `--` and the command. */
export function bubblewrapOptions(shape: IsolationShape, libraries: LibraryPaths): string[] {
  // Mounts inside of a writable directory must come after it, or it would hide them.
  const scratch = shape.scratch ?? [];
  const [later, earlier] = partition(shape.mounts, ({ to }) =>
    [...shape.writable, ...scratch].some((place) => to.startsWith(`${place.to}/`)),
  );
  const inside = [
    ...scratch.map(({ to, bytes }) => ({ to, options: ['--size', String(bytes), '--tmpfs', to] })),
    ...later.map(({ from, to }) => ({ to, options: ['--ro-bind', from, to] })),
  ].sort((one, other) => depthOf(one.to) - depthOf(other.to));
  const templateUser = shape.template?.user ?? null;
  const userInside = shape.system === 'builder' ? '0' : String(templateUser?.uid ?? USER_INSIDE);
  const { directories, links } = shape.system === 'none' ? { directories: [], links: [] } : libraries;
  const hasOwnTmp = shape.writable.some(({ to }) => to === '/tmp');
  return [
    '--unshare-user',
    '--unshare-pid',
    ...(shape.keepsNetwork ? [] : ['--unshare-net']),
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup',
    '--uid',
    userInside,
    '--gid',
    userInside,
    '--hostname',
    'sandbox',
    ...(shape.template === undefined
      ? []
      : openDirectories([...directories, ...earlier.map(({ to }) => to), '/dev/null'])),
    ...directories.flatMap((path) => ['--ro-bind', path, path]),
    ...[...links, ...(shape.links ?? [])].flatMap(({ to, at }) => ['--symlink', to, at]),
    ...earlier.flatMap(({ from, to }) => ['--ro-bind', from, to]),
    '--proc',
    '/proc',
    ...(shape.template === undefined ? hideInProc() : []),
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
    ...inside.flatMap(({ options }) => options),
    '--remount-ro',
    '/',
    '--chdir',
    shape.directory,
    ...Object.entries(shape.environment).flatMap(([name, value]) => ['--setenv', name, value]),
    '--cap-drop',
    'ALL',
    ...(shape.system === 'builder' ? capabilities(CAPABILITIES_OF_BUILDERS) : []),
    ...(templateUser === null ? [] : capabilities(CAPABILITIES_OF_TEMPLATES)),
    ...(templateUser === null ? [] : ['--userns-block-fd', String(TEMPLATE_MAP_DESCRIPTOR)]),
    '--die-with-parent',
    '--new-session',
    '--seccomp',
    String(SECCOMP_DESCRIPTOR),
    shape.tellsExit ? '--json-status-fd' : '--info-fd',
    String(INFO_DESCRIPTOR),
  ];
}

/** A template leaves all of it visible, because the kernel only then lets its forks mount another. */
function hideInProc(): string[] {
  return [
    ...HIDDEN_IN_PROC.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    // `/proc/1` is bubblewrap's init. It runs as the program's user, so the program could write to its memory.
    ...['--tmpfs', '/proc/1', '--remount-ro', '/proc/1'],
  ];
}

/** bubblewrap would create the parents of mounts for its own user only. Forks are other users. */
function openDirectories(paths: readonly string[]): string[] {
  const parents = paths.flatMap((path) => path.split('/').map((_, index, names) => names.slice(0, index).join('/')));
  return [...new Set(parents)]
    .filter((path) => path !== '')
    .sort()
    .flatMap((path) => ['--dir', path]);
}

const capabilities = (names: readonly string[]): string[] => names.flatMap((name) => ['--cap-add', `CAP_${name}`]);

const depthOf = (path: string): number => path.split('/').length;

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}
