import { totalmem } from 'node:os';

/** Returns the memory of this machine or, in a container that has less, of the container, in bytes. */
export function usableMemoryBytes(): number {
  const total = totalmem();
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(total, constrained) : total;
}
