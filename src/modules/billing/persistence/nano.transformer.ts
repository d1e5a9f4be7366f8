import type { ValueTransformer } from 'typeorm';

/** `bigint` columns come as text, because not every one of them is a safe number. */
export const NANO: ValueTransformer = {
  to: (value: bigint | null | undefined) => value?.toString() ?? value,
  from: (text: string | null) => (text === null ? null : BigInt(text)),
};
