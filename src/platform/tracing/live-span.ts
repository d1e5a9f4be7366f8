import type { SpanPosition } from '../logging/request-context.js';

/** Values never hold what a caller wrote: no path, query, header, body, name or message. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface SpanFacts {
  /** The default is `internal`. */
  readonly kind?: 'internal' | 'server' | 'client' | 'consumer';
  readonly attributes?: SpanAttributes;
  /** False for an error that ends the work as intended. */
  readonly isFailure?: (error: unknown) => boolean;
}

/** A span that has begun. Where nothing is recorded, its methods do nothing. */
export interface LiveSpan {
  /** Undefined while traces are off. */
  readonly position: SpanPosition | undefined;
  /** The header for what the span calls; undefined where nothing is recorded. */
  readonly traceparent: string | undefined;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed, by a kind of error and not by its message, which may quote what a caller wrote. */
  fail(type: string): void;
  end(): void;
}

class UnrecordedSpan implements LiveSpan {
  readonly traceparent = undefined;

  constructor(readonly position: SpanPosition | undefined) {}

  rename(): void {
    // Nothing is recorded.
  }

  set(): void {
    // Nothing is recorded.
  }

  fail(): void {
    // Nothing is recorded.
  }

  end(): void {
    // Nothing is recorded.
  }
}

/** Stands for all spans while traces are off. */
export const NO_SPAN: LiveSpan = new UnrecordedSpan(undefined);
/** Stands for all spans of a trace that is not recorded, so that what they cause is not recorded either. */
export const UNSAMPLED_SPAN: LiveSpan = new UnrecordedSpan({ isSampled: false });

/** Returns the code of an error of ours or of Node, or else the name of its class. */
export function typeOfError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : error.constructor.name;
}
