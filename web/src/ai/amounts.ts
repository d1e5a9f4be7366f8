import type { Model } from '@service/client';

const PRICE = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 6 });
const COUNT = new Intl.NumberFormat('en');
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** The price of 1,000,000 tokens, exactly: `$0.075`. */
export const priceOf = (usd: string): string => (Number(usd) === 0 ? 'Free' : PRICE.format(Number(usd)));

/** `1,204` */
export const tokensOf = (count: number): string => COUNT.format(count);

/** `32.8K`, as the providers of models write sizes. */
export const sizeOf = (tokens: number | null): string => (tokens === null ? '–' : COMPACT.format(tokens));

export const isForChat = ({ protocols }: Pick<Model, 'protocols'>): boolean => protocols.includes('chat_completions');

/** The model and the kind of tokens of a line of usage, such as `openai/gpt-mini` and `input`. */
export function partsOf(metered: string): readonly [model: string, kind: string] {
  const at = metered.lastIndexOf(':');
  return at === -1 ? [metered, ''] : [metered.slice(0, at), metered.slice(at + 1)];
}
