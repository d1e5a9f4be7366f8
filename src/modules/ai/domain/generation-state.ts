/**
 * How a generation ended: `cancelled` when the caller left before its end, `failed` when the model broke off, and
 * `lost` when the platform lost it.
 */
export const GENERATION_OUTCOMES = ['succeeded', 'cancelled', 'failed', 'lost'] as const;
export type GenerationOutcome = (typeof GENERATION_OUTCOMES)[number];

/**
 * Who counted the tokens: the router in its answer (`stream`) or when it was asked later (`router`), or the platform,
 * because the router tells nothing (`counted`).
 */
export const USAGE_SOURCES = ['stream', 'router', 'counted', 'none'] as const;
export type UsageSource = (typeof USAGE_SOURCES)[number];
