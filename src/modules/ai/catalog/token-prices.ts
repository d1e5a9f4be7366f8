import { TOKEN_KINDS, type TokenKind } from '../../metering/meter.js';
import type { PriceRefusal, TokenPrices } from '../persistence/models.store.js';
import type { ListedModel, Protocol } from '../routers/model-router.js';
import { dividedUp } from '../routers/upstream-json.js';

/** Above this, a new price is more likely a mistake than a change. */
const MAX_RISE = 3n;

/** The kinds of tokens that a model bills. Embeddings have no output and no cache. */
export const billedKinds = (protocols: readonly Protocol[]): readonly TokenKind[] =>
  protocols.every((protocol) => protocol === 'embeddings') ? ['input'] : TOKEN_KINDS;

/**
 * Completes prices: tokens of a cache cost as much as other input when nothing else is named. Returns undefined when a
 * kind that the model bills has no price.
 */
export function completePrices(prices: TokenPrices, protocols: readonly Protocol[]): TokenPrices | undefined {
  const { input } = prices;
  if (input === undefined) return undefined;
  const complete: TokenPrices = { cache_read: input, cache_write: input, ...prices };
  const kinds = billedKinds(protocols);
  if (kinds.some((kind) => complete[kind] === undefined)) return undefined;
  return Object.fromEntries(kinds.map((kind) => [kind, complete[kind]]));
}

/** What callers pay: the prices of a router with the markup, rounded up. */
export const withMarkup = (prices: TokenPrices, percent: number): TokenPrices =>
  Object.fromEntries(
    Object.entries(prices).map(([kind, nano]) => [kind, dividedUp(nano * BigInt(100 + percent), 100n)]),
  );

/**
 * Decides whether prices that a router lists now are adopted. Without earlier ones, every known price is.
 *
 * @returns the adopted prices, with the reason when new ones were refused.
 */
export function adoptedPrices(
  listed: ListedModel['pricesNano'],
  earlier: TokenPrices | null,
  protocols: readonly Protocol[],
): { readonly prices: TokenPrices | null; readonly refusal: PriceRefusal | null } {
  const complete = listed === null || listed === 'dynamic' ? undefined : completePrices(listed, protocols);
  if (earlier === null) return { prices: complete ?? null, refusal: null };
  const refusal = complete === undefined ? 'dynamic' : refusalOf(complete, earlier);
  return { prices: refusal === null ? complete! : earlier, refusal };
}

function refusalOf(prices: TokenPrices, earlier: TokenPrices): PriceRefusal | null {
  const pairs = Object.entries(earlier).map(([kind, nano]) => [nano, prices[kind as TokenKind] ?? 0n] as const);
  if (pairs.some(([old]) => old > 0n) && pairs.every(([, now]) => now === 0n)) return 'free';
  return pairs.some(([old, now]) => old > 0n && now > old * MAX_RISE) ? 'tripled' : null;
}
