/** What a program shows beside its output, as in a notebook. */
export interface RichResult {
  /** `text/plain`, `text/html`, `application/json`, `image/png`, `image/svg+xml`, `image/jpeg`. */
  readonly type: RichResultType;
  /** The text; base64 for `image/png` and `image/jpeg`. */
  readonly data: string;
}

export const RICH_RESULT_TYPES = [
  'text/plain',
  'text/html',
  'application/json',
  'image/png',
  'image/svg+xml',
  'image/jpeg',
] as const;

export type RichResultType = (typeof RICH_RESULT_TYPES)[number];

/** Per run. */
export const MAX_RESULTS = 20;

/** Per run, together. */
export const MAX_RESULTS_BYTES = 4_194_304;
