/** What is metered (service document §8, "Metering"). */
export const METERS = ['ai_tokens', 'sandbox_compute', 'database_storage', 'object_storage'] as const;
export type Meter = (typeof METERS)[number];

export type MeterUnit = 'tokens' | 'ms' | 'byte_hours';

/** What a quantity of each meter counts. */
export const UNIT_OF_METER: Readonly<Record<Meter, MeterUnit>> = {
  ai_tokens: 'tokens',
  sandbox_compute: 'ms',
  database_storage: 'byte_hours',
  object_storage: 'byte_hours',
};

/** The way of tokens is priced apart: the model of an event of `ai_tokens` is `<model>:input` or `<model>:output`. */
const TOKEN_MODEL = /^[!-~]{1,180}:(input|output)$/;

/** Whether an event of the meter may name this model: `ai_tokens` must, and nothing else may. */
export const isModelOf = (meter: Meter, model: string | null | undefined): boolean =>
  meter === 'ai_tokens' ? TOKEN_MODEL.test(model ?? '') : (model ?? null) === null;
