import type { ValueTransformer } from 'typeorm';

/** The driver returns `bigint` columns as text, because not every value is a safe number. */
export const NANO: ValueTransformer = {
  to: (value: bigint | null | undefined) => value?.toString() ?? value,
  from: (text: string | null) => (text === null ? null : BigInt(text)),
};
