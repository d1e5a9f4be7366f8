import { type Architecture, AUDIT_ARCH, Errno, type Instruction, Verdict } from './bpf.js';
import { filterProgram, seccompFilter } from './filter.js';
import {
  BUILDER_NEEDS,
  FORKS,
  JUDGED,
  OWNERS,
  REFUSED,
  SHARED_MEMORY,
  TEMPLATE_NEEDS,
  UNIMPLEMENTED,
} from './syscalls.js';

const ARCHITECTURES: Architecture[] = ['x64', 'arm64'];
const refused = Verdict.errno(Errno.EPERM);

interface Call {
  architecture?: number;
  number: number;
  args?: number[];
}

/** Interprets the part of the kernel's classic BPF that the filter uses. */
function judge(program: readonly Instruction[], call: Call, own: Architecture): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number, 0);
  data.writeUInt32LE(call.architecture ?? AUDIT_ARCH[own], 4);
  (call.args ?? []).forEach((value, index) => data.writeBigUInt64LE(BigInt(value), 16 + 8 * index));

  let accumulator = 0;
  for (let at = 0; ; at++) {
    const { code, ifTrue, ifFalse, operand } = program[at]!;
    switch (code) {
      case 0x20:
        accumulator = data.readUInt32LE(operand);
        break;
      case 0x54:
        accumulator = (accumulator & operand) >>> 0;
        break;
      case 0x15:
        at += accumulator === operand ? ifTrue : ifFalse;
        break;
      case 0x35:
        at += accumulator >= operand ? ifTrue : ifFalse;
        break;
      case 0x45:
        at += (accumulator & operand) !== 0 ? ifTrue : ifFalse;
        break;
      case 0x06:
        return operand;
      default:
        throw new Error(`Not an instruction: ${code}`);
    }
  }
}

describe.each(ARCHITECTURES)('the seccomp filter on %s', (architecture) => {
  const threads = filterProgram({ architecture, processes: 'threads', sockets: 'local' });
  const any = filterProgram({ architecture, processes: 'any', sockets: 'internet' });
  const verdict = (number: number, args: number[] = [], program = threads): number =>
    judge(program, { number, args }, architecture);
  const judged = (name: keyof typeof JUDGED): number => JUDGED[name][architecture];

  it('refuses every listed call', () => {
    for (const numbers of Object.values(REFUSED)) {
      const number = numbers[architecture];
      if (number !== null) expect(verdict(number)).toBe(refused);
    }
  });

  it('allows every other call of the table', () => {
    const named = [REFUSED, UNIMPLEMENTED, FORKS, JUDGED].flatMap((group) =>
      Object.values(group).map((numbers: Record<Architecture, number | null>) => numbers[architecture]),
    );
    for (let number = 0; number <= 462; number++) {
      if (!named.includes(number)) expect([number, verdict(number)]).toEqual([number, Verdict.allow]);
    }
  });

  it('answers "not implemented" to clone3, io_uring and calls it does not know', () => {
    for (const number of [435, 425, 426, 427, 463, 500, 100_000]) {
      expect(verdict(number)).toBe(Verdict.errno(Errno.ENOSYS));
    }
  });

  it('kills a process that makes calls of another architecture', () => {
    const i386 = 0x4000_0003;
    expect(judge(threads, { number: 1, architecture: i386 }, architecture)).toBe(Verdict.killProcess);
  });

  it('allows clone to create threads, and processes only where they are allowed', () => {
    const thread = 0x003d_0f00;
    const fork = 0x0120_0011;
    expect(verdict(judged('clone'), [thread])).toBe(Verdict.allow);
    expect(verdict(judged('clone'), [fork])).toBe(refused);
    expect(verdict(judged('clone'), [fork], any)).toBe(Verdict.allow);
  });

  it('never allows clone to create a namespace', () => {
    for (const flag of [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000]) {
      expect(verdict(judged('clone'), [flag | 17], any)).toBe(refused);
      expect(verdict(judged('clone'), [flag | 0x1_0000])).toBe(refused);
    }
  });

  it.each(['socket', 'socketpair'] as const)('allows %s for AF_UNIX and no other family', (call) => {
    expect(verdict(judged(call), [1, 1])).toBe(Verdict.allow);
    for (const family of [0, 2, 10, 15, 16, 17, 38, 40, 44]) {
      expect(verdict(judged(call), [family, 1])).toBe(Verdict.errno(Errno.EACCES));
    }
  });

  it('allows TCP, UDP and queries for interfaces in a network of its own', () => {
    const socket = (...args: number[]): number => verdict(judged('socket'), args, any);
    for (const [family, protocol] of [
      [1, 0],
      [2, 0],
      [2, 6],
      [2, 17],
      [10, 0],
      [10, 6],
      [16, 0],
    ] as const)
      expect(socket(family, 1, protocol)).toBe(Verdict.allow);
    for (const [family, protocol] of [
      [2, 1],
      [2, 132],
      [2, 262],
      [10, 58],
      [16, 12],
      [17, 0],
      [38, 0],
      [40, 0],
      [44, 0],
    ] as const) {
      expect([family, protocol, socket(family, 1, protocol)]).toEqual([family, protocol, Verdict.errno(Errno.EACCES)]);
    }
  });

  it('refuses memory that RLIMIT_DATA does not count', () => {
    const flags = (value: number): number => verdict(judged('mmap'), [0, 4096, 3, value]);
    expect(flags(0x22)).toBe(Verdict.allow);
    expect(flags(0x01)).toBe(Verdict.allow);
    expect(flags(0x21)).toBe(Verdict.errno(Errno.ENOMEM));
    expect(flags(0x122)).toBe(Verdict.errno(Errno.ENOMEM));
  });

  it('refuses input into a terminal', () => {
    expect(verdict(judged('ioctl'), [0, 0x5412])).toBe(refused);
    expect(verdict(judged('ioctl'), [0, 0x541c])).toBe(refused);
    expect(verdict(judged('ioctl'), [0, 0x5401])).toBe(Verdict.allow);
  });

  it('lets a builder of images mount and change its root, without user and network namespaces', () => {
    const builder = filterProgram({ architecture, processes: 'any', sockets: 'internet', assemblesImages: true });
    for (const [name, numbers] of Object.entries(REFUSED)) {
      const number = numbers[architecture];
      if (number !== null && name !== 'unshare')
        expect([name, verdict(number, [], builder)]).toEqual([name, BUILDER_NEEDS.has(name) ? Verdict.allow : refused]);
    }
    for (const number of [REFUSED.unshare[architecture], judged('clone')]) {
      for (const flag of [0x2_0000, 0x400_0000, 0x800_0000, 0x2000_0000])
        expect(verdict(number, [flag], builder)).toBe(Verdict.allow);
      for (const flag of [0x200_0000, 0x1000_0000, 0x4000_0000])
        expect(verdict(number, [0x2_0000 | flag], builder)).toBe(refused);
    }
  });

  it('allows System V shared memory where it is asked for, and nothing else that is refused', () => {
    const sharing = filterProgram({ architecture, processes: 'any', sockets: 'local', sharedMemory: true });
    for (const [name, numbers] of Object.entries(REFUSED)) {
      const number = numbers[architecture];
      if (number !== null)
        expect([name, verdict(number, [], sharing)]).toEqual([name, SHARED_MEMORY.has(name) ? Verdict.allow : refused]);
    }
  });

  it('lets a template mount, unshare, and fork into user and process namespaces, and nothing else', () => {
    const template = filterProgram({ architecture, processes: 'any', sockets: 'local', isolatesForks: true });
    for (const [name, numbers] of Object.entries(REFUSED)) {
      const number = numbers[architecture];
      if (number !== null)
        expect([name, verdict(number, [], template)]).toEqual([
          name,
          TEMPLATE_NEEDS.has(name) ? Verdict.allow : refused,
        ]);
    }
    for (const flag of [0, 0x1000_0000, 0x2000_0000])
      expect(verdict(judged('clone'), [flag | 17], template)).toBe(Verdict.allow);
    for (const flag of [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x4000_0000])
      expect(verdict(judged('clone'), [0x3000_0000 | flag], template)).toBe(refused);
  });

  it('tells a builder of images that changes of owners and users succeeded', () => {
    const builder = filterProgram({ architecture, processes: 'any', sockets: 'internet', assemblesImages: true });
    for (const numbers of Object.values(OWNERS)) {
      const number = numbers[architecture];
      if (number === null) continue;
      expect(verdict(number, [], builder)).toBe(Verdict.errno(0));
      expect(verdict(number, [], any)).toBe(Verdict.allow);
    }
  });

  it('is a valid program for the kernel: 8 bytes each, jumps inside, at most 4096', () => {
    const bytes = seccompFilter({ architecture, processes: 'threads', sockets: 'local' });
    expect(bytes.length).toBe(threads.length * 8);
    expect(threads.length).toBeLessThan(4096);
    threads.forEach(({ ifTrue, ifFalse }, at) => {
      expect(at + 1 + Math.max(ifTrue, ifFalse)).toBeLessThan(threads.length + 1);
    });
  });
});

it('kills a process that makes x32 calls', () => {
  const program = filterProgram({ architecture: 'x64', processes: 'threads', sockets: 'local' });
  expect(judge(program, { number: 0x4000_0000 + 59 }, 'x64')).toBe(Verdict.killProcess);
});

it('refuses fork and vfork where only threads are allowed', () => {
  const program = filterProgram({ architecture: 'x64', processes: 'threads', sockets: 'local' });
  expect(judge(program, { number: 57 }, 'x64')).toBe(refused);
  expect(judge(program, { number: 58 }, 'x64')).toBe(refused);
});
