/** The architectures that Node and this service run on. */
export type Architecture = 'x64' | 'arm64';

/** One classic BPF instruction, as in <linux/filter.h>. Jumps count the instructions to skip. */
export interface Instruction {
  readonly code: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly operand: number;
}

const LOAD_WORD = 0x20;
const AND = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

/** Offsets in `struct seccomp_data`; arguments are 64 bits wide, little-endian on both architectures. */
const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const ARGUMENTS_OFFSET = 16;

/** What the kernel does with a call, from <linux/seccomp.h>. */
export const Verdict = {
  allow: 0x7fff_0000,
  killProcess: 0x8000_0000,
  errno: (errno: number): number => 0x0005_0000 | errno,
} as const;

export const Errno = { EPERM: 1, ENOMEM: 12, EACCES: 13, ENOSYS: 38 } as const;

/** The value of `seccomp_data.arch`, from <linux/audit.h>. */
export const AUDIT_ARCH: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

export const loadNumber = (): Instruction => statement(LOAD_WORD, NUMBER_OFFSET);
export const loadArchitecture = (): Instruction => statement(LOAD_WORD, ARCHITECTURE_OFFSET);

/** Loads the low half of an argument: flags and families fit in it, and the kernel ignores the rest of an `int`. */
export const loadArgument = (index: number): Instruction => statement(LOAD_WORD, ARGUMENTS_OFFSET + 8 * index);

export const keepBits = (mask: number): Instruction => statement(AND, mask);
export const answer = (verdict: number): Instruction => statement(RETURN, verdict);

/** Runs `body` when the accumulator is `value`, else continues after it. */
export const ifEqual = (value: number, body: readonly Instruction[]): Instruction[] => [
  { code: JUMP_EQUAL, ifTrue: 0, ifFalse: body.length, operand: value },
  ...body,
];

export const ifNotEqual = (value: number, body: readonly Instruction[]): Instruction[] => [
  { code: JUMP_EQUAL, ifTrue: body.length, ifFalse: 0, operand: value },
  ...body,
];

export const ifAtLeast = (value: number, body: readonly Instruction[]): Instruction[] => [
  { code: JUMP_AT_LEAST, ifTrue: 0, ifFalse: body.length, operand: value },
  ...body,
];

export const ifAnyBit = (mask: number, body: readonly Instruction[]): Instruction[] => [
  { code: JUMP_ANY_BIT, ifTrue: 0, ifFalse: body.length, operand: mask },
  ...body,
];

export const ifNoBit = (mask: number, body: readonly Instruction[]): Instruction[] => [
  { code: JUMP_ANY_BIT, ifTrue: body.length, ifFalse: 0, operand: mask },
  ...body,
];

/** Returns the bytes of `struct sock_filter[]`, as bubblewrap reads them from a descriptor. */
export function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach((instruction, index) => {
    bytes.writeUInt16LE(instruction.code, index * 8);
    bytes.writeUInt8(instruction.ifTrue, index * 8 + 2);
    bytes.writeUInt8(instruction.ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(instruction.operand, index * 8 + 4);
  });
  return bytes;
}

function statement(code: number, operand: number): Instruction {
  return { code, ifTrue: 0, ifFalse: 0, operand: operand >>> 0 };
}
