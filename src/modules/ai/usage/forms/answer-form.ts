import type { Fields } from '../../routers/upstream-json.js';
import { estimateText } from '../token-estimate.js';
import type { AnswerFacts } from '../answer-reader.js';

/** Facts that grow while an answer is read. */
export type GrowingFacts = { -readonly [Name in keyof AnswerFacts]: AnswerFacts[Name] };

/** An event of a stream that reports tokens. */
export interface UsageEvent {
  readonly usage: Fields;
  /** Returns the event with another usage, or without any. */
  with(usage: Fields | undefined): Fields;
  /** True when the event has nothing but the usage, so that callers who did not ask for it do not get it. */
  readonly isUsageOnly: boolean;
  /** True when nothing is generated after it, so that it can wait for the price. */
  readonly isLast: boolean;
}

/** Reads the events of one stream. */
export interface EventReader {
  /** Notes in the facts what the event says. Returns where its usage is, if it has one. */
  read(event: Fields, facts: GrowingFacts): UsageEvent | undefined;
}

/** How the answers of one protocol are built. */
export interface AnswerForm {
  /** A larger event is passed on without being read. */
  readonly maxEventBytes: number;
  events(): EventReader;
  /** The fields of an answer without a stream that are read, besides its `usage`. */
  readonly wholeFields: readonly string[];
  /** Returns what such an answer says. */
  readWhole(valueOf: (name: string) => unknown): Omit<AnswerFacts, 'isComplete'>;
}

export const isError = (value: unknown): boolean => value !== undefined && value !== null;

/** Counts the texts of a piece of an answer: words, reasoning and arguments of tools. */
export function countOutput(value: unknown, depth = 8): number {
  if (typeof value === 'string') return estimateText(value);
  if (typeof value !== 'object' || value === null || depth === 0) return 0;
  return Object.entries(value)
    .filter(([name]) => name !== 'role' && name !== 'id' && name !== 'type')
    .reduce((sum, [, each]) => sum + countOutput(each, depth - 1), 0);
}
