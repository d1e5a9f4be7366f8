import {
  answer,
  type Architecture,
  assemble,
  AUDIT_ARCH,
  Errno,
  ifAnyBit,
  ifAtLeast,
  ifEqual,
  ifNoBit,
  ifNotEqual,
  type Instruction,
  keepBits,
  loadArchitecture,
  loadArgument,
  loadNumber,
  Verdict,
} from './bpf.js';
import {
  BUILDER_NEEDS,
  FIRST_UNKNOWN,
  FORKS,
  JUDGED,
  OWNERS,
  REFUSED,
  SHARED_MEMORY,
  type SyscallNumbers,
  TEMPLATE_NEEDS,
  UNIMPLEMENTED,
} from './syscalls.js';

export interface FilterOptions {
  readonly architecture: Architecture;
  /** With `threads`, no second process can be created, which limits memory even where there is no cgroup. */
  readonly processes: 'threads' | 'any';
  /** `internet` adds TCP and UDP, for a program in a network of its own. */
  readonly sockets: 'local' | 'internet';
  /**
   * True for a builder of container images, which mounts file systems and changes its root in namespaces of its own.
   * User and network namespaces stay refused, so nothing that it starts gains a capability that it gave up.
   */
  readonly assemblesImages?: boolean;
  /** True for a program that needs System V shared memory. Each program has an IPC namespace of its own. */
  readonly sharedMemory?: boolean;
  /** True for a template, whose forks enter namespaces of their own before they get their filter. */
  readonly isolatesForks?: boolean;
}

const REFUSAL = Verdict.errno(Errno.EPERM);

const CLONE_THREAD = 0x0001_0000;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const CLONE_NEW_ANY = 0x7e02_0000;
/** CLONE_NEWCGROUP, NEWUSER, NEWNET. */
const CLONE_NEW_FOR_NOBODY = 0x5200_0000;
/** All but CLONE_NEWPID and NEWUSER, which a fork of a template is created with. The fork unshares the others. */
const CLONE_NEW_FOR_NO_FORK = 0x4e02_0000;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
/** The values mean the family's default, TCP and UDP. */
const PROTOCOLS = [0, 6, 17] as const;

const MAP_SHARED = 0x01;
const MAP_ANONYMOUS = 0x20;
const MAP_GROWSDOWN = 0x100;

/** These requests insert input into the terminal from which the service was started. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/** x32 calls carry this bit under the same AUDIT_ARCH as x64, above every number in the tables. */
const X32_BIT = 0x4000_0000;

/**
 * The seccomp filter of an isolated program. It allows by default and refuses calls that reach past the namespaces, use
 * memory that no limit counts, or have a poor security history. The reasons are in `syscalls.ts` and below.
 */
export function seccompFilter(options: FilterOptions): Buffer {
  return assemble(filterProgram(options));
}

export function filterProgram({
  architecture,
  processes,
  sockets,
  assemblesImages = false,
  sharedMemory = false,
  isolatesForks = false,
}: FilterOptions): readonly Instruction[] {
  const numberOf = (syscall: SyscallNumbers): number | null => syscall[architecture];
  const on = (syscall: SyscallNumbers, body: readonly Instruction[]): Instruction[] => {
    const number = numberOf(syscall);
    return number === null ? [] : ifEqual(number, body);
  };
  const each = (syscalls: Record<string, SyscallNumbers>, verdict: number): Instruction[] =>
    Object.values(syscalls).flatMap((syscall) => on(syscall, [answer(verdict)]));

  return [
    loadArchitecture(),
    ...ifNotEqual(AUDIT_ARCH[architecture], [answer(Verdict.killProcess)]),
    loadNumber(),
    ...(architecture === 'x64' ? ifAtLeast(X32_BIT, [answer(Verdict.killProcess)]) : []),
    ...ifAtLeast(FIRST_UNKNOWN, [answer(Verdict.errno(Errno.ENOSYS))]),

    ...each(UNIMPLEMENTED, Verdict.errno(Errno.ENOSYS)),
    ...(assemblesImages ? [...each(OWNERS, Verdict.errno(0)), ...on(REFUSED.unshare, unshare())] : []),
    ...each(
      refusedBut([
        ...(assemblesImages ? [BUILDER_NEEDS] : []),
        ...(sharedMemory ? [SHARED_MEMORY] : []),
        ...(isolatesForks ? [TEMPLATE_NEEDS] : []),
      ]),
      REFUSAL,
    ),
    ...(processes === 'threads' ? each(FORKS, Verdict.errno(Errno.EPERM)) : []),

    ...on(JUDGED.clone, clone(processes, namespacesRefusedTo(assemblesImages, isolatesForks))),
    ...on(JUDGED.socket, sockets === 'internet' ? alsoInternetSockets() : onlyUnixSockets()),
    ...on(JUDGED.socketpair, onlyUnixSockets()),
    ...on(JUDGED.mmap, onlyCountedMemory()),
    ...on(JUDGED.ioctl, noTerminalInput()),
    answer(Verdict.allow),
  ];
}

function refusedBut(needs: readonly ReadonlySet<string>[]): Record<string, SyscallNumbers> {
  return Object.fromEntries(Object.entries(REFUSED).filter(([name]) => !needs.some((each) => each.has(name))));
}

function namespacesRefusedTo(assemblesImages: boolean, isolatesForks: boolean): number {
  if (isolatesForks) return CLONE_NEW_FOR_NO_FORK;
  return assemblesImages ? CLONE_NEW_FOR_NOBODY : CLONE_NEW_ANY;
}

function unshare(): readonly Instruction[] {
  return [
    loadArgument(0),
    ...ifAnyBit(CLONE_NEW_FOR_NOBODY, [answer(Verdict.errno(Errno.EPERM))]),
    answer(Verdict.allow),
  ];
}

function clone(processes: FilterOptions['processes'], namespaces: number): readonly Instruction[] {
  return [
    loadArgument(0),
    ...ifAnyBit(namespaces, [answer(Verdict.errno(Errno.EPERM))]),
    ...(processes === 'threads' ? ifNoBit(CLONE_THREAD, [answer(Verdict.errno(Errno.EPERM))]) : []),
    answer(Verdict.allow),
  ];
}

/**
 * A network namespace limits AF_INET, but not AF_VSOCK, and without a cgroup nothing counts the buffers of loopback.
 * Event loops need socket pairs of AF_UNIX, and nothing else.
 */
function onlyUnixSockets(): readonly Instruction[] {
  return [loadArgument(0), ...ifNotEqual(AF_UNIX, [answer(Verdict.errno(Errno.EACCES))]), answer(Verdict.allow)];
}

/**
 * Internet sockets reach as far as the network that the program is in. Other protocols of the family are refused,
 * because each is another part of the kernel. Programs list their interfaces by NETLINK_ROUTE, which only answers
 * queries without capabilities.
 */
function alsoInternetSockets(): readonly Instruction[] {
  const withProtocol = (protocols: readonly number[]): Instruction[] => [
    loadArgument(2),
    ...protocols.flatMap((protocol) => ifEqual(protocol, [answer(Verdict.allow)])),
    answer(Verdict.errno(Errno.EACCES)),
  ];
  return [
    loadArgument(0),
    ...ifEqual(AF_UNIX, [answer(Verdict.allow)]),
    ...ifEqual(AF_INET, withProtocol(PROTOCOLS)),
    ...ifEqual(AF_INET6, withProtocol(PROTOCOLS)),
    ...ifEqual(AF_NETLINK, withProtocol([NETLINK_ROUTE])),
    answer(Verdict.errno(Errno.EACCES)),
  ];
}

/**
 * Shared anonymous memory stays allocated after it left the resident size, and a mapping that grows downwards counts as
 * stack: both would escape RLIMIT_DATA.
 */
function onlyCountedMemory(): readonly Instruction[] {
  return [
    loadArgument(3),
    ...ifAnyBit(MAP_GROWSDOWN, [answer(Verdict.errno(Errno.ENOMEM))]),
    keepBits(MAP_SHARED | MAP_ANONYMOUS),
    ...ifEqual(MAP_SHARED | MAP_ANONYMOUS, [answer(Verdict.errno(Errno.ENOMEM))]),
    answer(Verdict.allow),
  ];
}

function noTerminalInput(): readonly Instruction[] {
  return [
    loadArgument(1),
    ...ifEqual(TIOCSTI, [answer(Verdict.errno(Errno.EPERM))]),
    ...ifEqual(TIOCLINUX, [answer(Verdict.errno(Errno.EPERM))]),
    answer(Verdict.allow),
  ];
}
