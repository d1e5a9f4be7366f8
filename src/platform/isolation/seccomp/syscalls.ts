import { type Architecture } from './bpf.js';

/** The number of a call per architecture; null where the architecture lacks it. Source: the kernel's unistd tables. */
export type SyscallNumbers = Readonly<Record<Architecture, number | null>>;

/** These calls are always refused. Each group says why. */
export const REFUSED = {
  // Namespaces, mounts and the structure of the file system.
  unshare: { x64: 272, arm64: 97 },
  setns: { x64: 308, arm64: 268 },
  mount: { x64: 165, arm64: 40 },
  umount2: { x64: 166, arm64: 39 },
  pivot_root: { x64: 155, arm64: 41 },
  chroot: { x64: 161, arm64: 51 },
  move_mount: { x64: 429, arm64: 429 },
  open_tree: { x64: 428, arm64: 428 },
  fsopen: { x64: 430, arm64: 430 },
  fsconfig: { x64: 431, arm64: 431 },
  fsmount: { x64: 432, arm64: 432 },
  fspick: { x64: 433, arm64: 433 },
  mount_setattr: { x64: 442, arm64: 442 },
  statmount: { x64: 457, arm64: 457 },
  listmount: { x64: 458, arm64: 458 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  name_to_handle_at: { x64: 303, arm64: 264 },
  swapon: { x64: 167, arm64: 224 },
  swapoff: { x64: 168, arm64: 225 },
  quotactl: { x64: 179, arm64: 60 },
  quotactl_fd: { x64: 443, arm64: 443 },
  // The machine: modules, clocks, names, ports, accounting.
  init_module: { x64: 175, arm64: 105 },
  finit_module: { x64: 313, arm64: 273 },
  delete_module: { x64: 176, arm64: 106 },
  kexec_load: { x64: 246, arm64: 104 },
  kexec_file_load: { x64: 320, arm64: 294 },
  reboot: { x64: 169, arm64: 142 },
  sethostname: { x64: 170, arm64: 161 },
  setdomainname: { x64: 171, arm64: 162 },
  iopl: { x64: 172, arm64: null },
  ioperm: { x64: 173, arm64: null },
  modify_ldt: { x64: 154, arm64: null },
  clock_settime: { x64: 227, arm64: 112 },
  settimeofday: { x64: 164, arm64: 170 },
  adjtimex: { x64: 159, arm64: 171 },
  clock_adjtime: { x64: 305, arm64: 266 },
  acct: { x64: 163, arm64: 89 },
  syslog: { x64: 103, arm64: 116 },
  vhangup: { x64: 153, arm64: 58 },
  // Other processes and their memory.
  ptrace: { x64: 101, arm64: 117 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  process_madvise: { x64: 440, arm64: 440 },
  process_mrelease: { x64: 448, arm64: 448 },
  kcmp: { x64: 312, arm64: 272 },
  pidfd_getfd: { x64: 438, arm64: 438 },
  // Kernel keyrings, which no namespace separates.
  keyctl: { x64: 250, arm64: 219 },
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  // Large or new parts of the kernel that the interpreters do not need.
  bpf: { x64: 321, arm64: 280 },
  perf_event_open: { x64: 298, arm64: 241 },
  userfaultfd: { x64: 323, arm64: 282 },
  io_setup: { x64: 206, arm64: 0 },
  io_submit: { x64: 209, arm64: 2 },
  io_destroy: { x64: 207, arm64: 1 },
  io_cancel: { x64: 210, arm64: 3 },
  io_getevents: { x64: 208, arm64: 4 },
  io_pgetevents: { x64: 333, arm64: 292 },
  vmsplice: { x64: 278, arm64: 75 },
  remap_file_pages: { x64: 216, arm64: 234 },
  seccomp: { x64: 317, arm64: 277 },
  fanotify_init: { x64: 300, arm64: 262 },
  fanotify_mark: { x64: 301, arm64: 263 },
  personality: { x64: 135, arm64: 92 },
  // Memory that no process is charged for: RLIMIT_DATA and the resident size do not include it.
  memfd_create: { x64: 319, arm64: 279 },
  memfd_secret: { x64: 447, arm64: 447 },
  shmget: { x64: 29, arm64: 194 },
  shmat: { x64: 30, arm64: 196 },
  shmctl: { x64: 31, arm64: 195 },
  shmdt: { x64: 67, arm64: 197 },
  msgget: { x64: 68, arm64: 186 },
  msgsnd: { x64: 69, arm64: 189 },
  msgrcv: { x64: 70, arm64: 188 },
  msgctl: { x64: 71, arm64: 187 },
  semget: { x64: 64, arm64: 190 },
  semop: { x64: 65, arm64: 193 },
  semctl: { x64: 66, arm64: 191 },
  semtimedop: { x64: 220, arm64: 192 },
  mq_open: { x64: 240, arm64: 180 },
  mq_unlink: { x64: 241, arm64: 181 },
  mq_timedsend: { x64: 242, arm64: 182 },
  mq_timedreceive: { x64: 243, arm64: 183 },
  mq_notify: { x64: 244, arm64: 184 },
  mq_getsetattr: { x64: 245, arm64: 185 },
  // Placement of memory on NUMA nodes.
  mbind: { x64: 237, arm64: 235 },
  set_mempolicy: { x64: 238, arm64: 237 },
  set_mempolicy_home_node: { x64: 450, arm64: 450 },
  get_mempolicy: { x64: 239, arm64: 236 },
  migrate_pages: { x64: 256, arm64: 238 },
  move_pages: { x64: 279, arm64: 239 },
  // Obsolete calls.
  nfsservctl: { x64: 180, arm64: 42 },
  uselib: { x64: 134, arm64: null },
  ustat: { x64: 136, arm64: null },
  sysfs: { x64: 139, arm64: null },
  _sysctl: { x64: 156, arm64: null },
  lookup_dcookie: { x64: 212, arm64: 18 },
  // bubblewrap starts a program once, by path.
  execveat: { x64: 322, arm64: 281 },
} as const satisfies Record<string, SyscallNumbers>;

/** These calls return "not implemented", so that libraries fall back to what they used before. */
export const UNIMPLEMENTED = {
  clone3: { x64: 435, arm64: 435 },
  io_uring_setup: { x64: 425, arm64: 425 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
} as const satisfies Record<string, SyscallNumbers>;

/** Each of these creates a process, whatever its arguments. */
export const FORKS = {
  fork: { x64: 57, arm64: null },
  vfork: { x64: 58, arm64: null },
} as const satisfies Record<string, SyscallNumbers>;

/** These calls are allowed or refused by their arguments. */
export const JUDGED = {
  clone: { x64: 56, arm64: 220 },
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
  mmap: { x64: 9, arm64: 222 },
  ioctl: { x64: 16, arm64: 29 },
} as const satisfies Record<string, SyscallNumbers>;

/**
 * The first number that did not exist when these tables were written (mseal is 462, on every architecture). Without
 * this limit, the filter would allow more with each new kernel.
 */
export const FIRST_UNKNOWN = 463;

/**
 * Calls of {@link REFUSED} that a builder of container images needs. `unshare` is allowed by its arguments. The kernel
 * still requires capabilities for them, which the builder takes from the commands that it runs.
 */
export const BUILDER_NEEDS: ReadonlySet<string> = new Set([
  'unshare',
  'mount',
  'umount2',
  'pivot_root',
  'chroot',
  'sethostname',
  'setdomainname',
  // It runs a copy of itself from memory. That memory is counted by a cgroup only.
  'memfd_create',
  'execveat',
] satisfies (keyof typeof REFUSED)[]);

/**
 * Calls of {@link REFUSED} with which a template isolates its forks, each of which then gets a filter that refuses
 * them.
 */
export const TEMPLATE_NEEDS: ReadonlySet<string> = new Set(['unshare', 'mount'] satisfies (keyof typeof REFUSED)[]);

/** Calls of {@link REFUSED} for System V shared memory. */
export const SHARED_MEMORY: ReadonlySet<string> = new Set([
  'shmget',
  'shmat',
  'shmctl',
  'shmdt',
] satisfies (keyof typeof REFUSED)[]);

/**
 * Changes of owners and users. In a user namespace with a single user they would fail, although nothing depends on
 * their effect: all files of an image get the same owner in the end. For builders of container images they do nothing
 * and report success.
 */
export const OWNERS = {
  chown: { x64: 92, arm64: null },
  fchown: { x64: 93, arm64: 55 },
  lchown: { x64: 94, arm64: null },
  fchownat: { x64: 260, arm64: 54 },
  setuid: { x64: 105, arm64: 146 },
  setgid: { x64: 106, arm64: 144 },
  setreuid: { x64: 113, arm64: 145 },
  setregid: { x64: 114, arm64: 143 },
  setgroups: { x64: 116, arm64: 159 },
  setresuid: { x64: 117, arm64: 147 },
  setresgid: { x64: 119, arm64: 149 },
  setfsuid: { x64: 122, arm64: 151 },
  setfsgid: { x64: 123, arm64: 152 },
} as const satisfies Record<string, SyscallNumbers>;
