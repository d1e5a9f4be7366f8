import type { TokenUsage } from '../domain/token-usage.js';

/** What an answer says about itself, as far as it was read. */
export interface AnswerFacts {
  /** The router's ID of the generation. */
  readonly generationId: string | undefined;
  /** What the router calls the model that answered. */
  readonly model: string | undefined;
  readonly finishReason: string | undefined;
  readonly tokens: TokenUsage | undefined;
  /** Our own count of the output. It is used only where the router tells none. */
  readonly countedOutput: number;
  /** True when an error stands in the answer. */
  readonly hasFailed: boolean;
  /** True when the answer has come to its own end. */
  readonly isComplete: boolean;
}

/** Reads an answer on its way to the caller. Only the usage in it is changed. */
export interface AnswerReader {
  readonly facts: AnswerFacts;

  /** Returns what the caller can get now. */
  push(chunk: Buffer): Buffer;

  /**
   * Returns the rest, once the router has sent everything.
   *
   * @param costUsd what the caller pays, if that is known.
   */
  end(costUsd: string | undefined): Buffer;
}
