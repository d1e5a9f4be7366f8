import type { TokenKind } from '../../metering/meter.js';

/** Tokens of one call, by the kinds that are priced separately. A kind that is absent is zero. */
export type TokenUsage = Readonly<Partial<Record<TokenKind, number>>>;
