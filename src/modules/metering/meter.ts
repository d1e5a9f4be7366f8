import { trimEnd } from '../../platform/text/trim.js';

/** How the quantities of a meter are counted, priced and shown. */
interface Measure {
  /** The unit that an event counts, as the API names it. */
  readonly unit: string;
  /** What a price is for, and how much of the unit that is in a month of that many hours. */
  readonly price: { readonly per: string; readonly quantity: (hoursOfMonth: number) => bigint };
  /** The unit shown in the API and the CLI, and how much of `unit` makes one. */
  readonly display: { readonly unit: string; readonly quantity: bigint };
  /** The unit shown on invoices, and how much of `unit` makes one. */
  readonly invoice: { readonly unit: string; readonly quantity: (hoursOfMonth: number) => bigint };
}

const HOUR_MS = 3_600_000n;
const GIGABYTE = 1_000_000_000n;

const TOKENS = {
  unit: 'tokens',
  price: { per: '1,000,000 tokens', quantity: () => 1_000_000n },
  display: { unit: 'tokens', quantity: 1n },
  invoice: { unit: 'tokens', quantity: () => 1n },
} as const satisfies Measure;

const RUNNING_TIME = {
  unit: 'ms',
  price: { per: 'hour', quantity: () => HOUR_MS },
  display: { unit: 'h', quantity: HOUR_MS },
  invoice: { unit: 'h', quantity: () => HOUR_MS },
} as const satisfies Measure;

/** A GB-month is 10⁹ bytes for all hours of the month, so that each month costs the same, whatever its length. */
const gigabyteMonth = (hoursOfMonth: number): bigint => GIGABYTE * BigInt(hoursOfMonth);

const STORED_BYTES = {
  unit: 'byte_hours',
  price: { per: 'GB-month', quantity: gigabyteMonth },
  display: { unit: 'GB·h', quantity: GIGABYTE },
  invoice: { unit: 'GB-months', quantity: gigabyteMonth },
} as const satisfies Measure;

interface MeterRow extends Measure {
  /** The name on invoices. */
  readonly label: string;
  /** What an event counts, in the words of docs/metering.md. */
  readonly counts: string;
  /** True when events name a model and a kind of its tokens, which are priced separately. */
  readonly hasModel: boolean;
}

/**
 * Everything that is metered (service document §8, "Metering"). The API, invoices, the CLI and docs/metering.md show
 * this table, and a test compares it with the constraints of the database. Its order is that of invoice lines.
 */
export const METER_TABLE = {
  ai_tokens: {
    ...TOKENS,
    label: 'AI inference',
    counts: 'tokens of a model and a kind: `openai/gpt-mini:input`',
    hasModel: true,
  },
  sandbox_compute: {
    ...RUNNING_TIME,
    label: 'Sandbox compute',
    counts: 'milliseconds that a run lasts',
    hasModel: false,
  },
  database_storage: {
    ...STORED_BYTES,
    label: 'Database storage',
    counts: 'byte-hours, one event for each hour',
    hasModel: false,
  },
  object_storage: {
    ...STORED_BYTES,
    label: 'Object storage',
    counts: 'byte-hours, one event for each hour',
    hasModel: false,
  },
} as const satisfies Record<string, MeterRow>;

export type Meter = keyof typeof METER_TABLE;
export type MeterUnit = (typeof METER_TABLE)[Meter]['unit'];
/** A meter of stored bytes, which is sampled once an hour. */
export type StorageMeter = {
  [M in Meter]: (typeof METER_TABLE)[M]['unit'] extends typeof STORED_BYTES.unit ? M : never;
}[Meter];

export const METERS = Object.keys(METER_TABLE) as Meter[];
export const METER_UNITS = [...new Set(METERS.map((meter) => METER_TABLE[meter].unit))];

/** The kinds of tokens of a model, which have different prices. */
export const TOKEN_KINDS = ['input', 'output', 'cache_read', 'cache_write'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

const KINDS = TOKEN_KINDS.map((kind) => `\`${kind}\``).join(', ');
/** How events and prices name the tokens of a model, in the words of the API. */
export const TOKEN_MODEL_FORM = `\`<model>:<kind>\`, where the kind is ${KINDS}`;

const TOKEN_MODEL = new RegExp(`^[!-~]{1,180}:(${TOKEN_KINDS.join('|')})$`);

/** True when an event of the meter may name this model. A meter with models requires one, and others refuse it. */
export const isModelOf = (meter: Meter, model: string | null | undefined): boolean =>
  METER_TABLE[meter].hasModel ? TOKEN_MODEL.test(model ?? '') : (model ?? null) === null;

/** The message for an event or price that breaks the rule of {@link isModelOf}. */
export const MODEL_RULE = `model must be <model>:<kind> (${TOKEN_KINDS.join(', ')}) for ${METERS.filter(
  (meter) => METER_TABLE[meter].hasModel,
).join(', ')}, and absent for all others`;

/** Formats a quantity for the API and the CLI, such as `1.5 h`. */
export function displayQuantity(meter: Meter, quantity: bigint): string {
  const { display } = METER_TABLE[meter];
  return `${decimal(quantity, display.quantity)} ${display.unit}`;
}

/** Formats a quantity for an invoice of a month with that many hours, such as `40 GB-months`. */
export function invoiceQuantity(meter: Meter, quantity: bigint, hoursOfMonth: number): string {
  const { invoice } = METER_TABLE[meter];
  return `${decimal(quantity, invoice.quantity(hoursOfMonth))} ${invoice.unit}`;
}

/** Rounds to six decimal places for display. Amounts are calculated from the whole quantity. */
function decimal(quantity: bigint, per: bigint): string {
  const millionths = (quantity * 1_000_000n + per / 2n) / per;
  const fraction = trimEnd((millionths % 1_000_000n).toString().padStart(6, '0'), '0');
  return `${(millionths / 1_000_000n).toLocaleString('en-US')}${fraction === '' ? '' : `.${fraction}`}`;
}
