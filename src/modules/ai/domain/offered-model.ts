import type { TokenKind } from '../../metering/meter.js';
import type { Protocol } from '../routers/model-router.js';

/** A model that callers can use now: a router serves it, and every kind of its tokens has a price. */
export interface OfferedModel {
  /** The ID that callers use, such as `openai/gpt-mini`. Usage is metered as `<id>:<kind>`. */
  readonly id: string;
  readonly name: string;
  /** The ID of the router that serves it. */
  readonly router: string;
  /** What the router calls it. */
  readonly upstreamId: string;
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  readonly protocols: readonly Protocol[];
  /** Our prices in nano-dollars for 1,000,000 tokens. Embeddings have only `input`. */
  readonly pricesNano: Readonly<Partial<Record<TokenKind, bigint>>>;
  /** What the router charges us, in the same unit; null for a router without prices, such as a server of our own. */
  readonly upstreamPricesNano: Readonly<Partial<Record<TokenKind, bigint>>> | null;
  /** When the router stops serving it, if that is announced. */
  readonly expiresAt: Date | null;
}
