import type { Readable } from 'node:stream';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { type Fields, fieldsOf, textOf } from '../routers/upstream-json.js';

const MAX_BODY_BYTES = 65_536;
const MAX_MESSAGE_LENGTH = 500;

/** The model refused the request itself. Its message is for the caller. */
export class RequestRefusedByModel extends DomainError {
  constructor(model: string, message: string) {
    super(GENERIC_ERRORS.invalid_request, `The model ${model} refused the request: ${message}`);
  }
}

/** Who is at fault for a failed attempt, and so what happens next. */
export type Fault =
  /** The request itself. No other attempt would help. */
  | 'request'
  /** The account of the operator, or its key. Another router may still answer. */
  | 'account'
  /** The model or the way to it. Another attempt may succeed. */
  | 'model';

export function faultOf(status: number, error: Fields): Fault {
  switch (status) {
    case 400:
    case 404:
    case 413:
    case 422:
      return 'request';
    case 401:
    case 402:
      return 'account';
    case 403:
      // OpenRouter refuses what a moderated model must not see in the same way, with the reasons.
      return fieldsOf(error['metadata'])['reasons'] === undefined ? 'account' : 'request';
    default:
      return 'model';
  }
}

/** Reads the error of a failed response, as far as it can be understood. It never throws. */
export async function errorOf(body: Readable): Promise<Fields> {
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_BODY_BYTES) break;
    }
    const parsed = fieldsOf(JSON.parse(Buffer.concat(chunks).toString()));
    const { error } = parsed;
    return typeof error === 'string' ? { message: error } : error === undefined ? parsed : fieldsOf(error);
  } catch {
    return {};
  }
}

/**
 * Returns the message of an error for callers: bounded, on one line, and without keys.
 *
 * @param withoutKeys removes the keys that were used.
 */
export function messageOf(error: Fields, withoutKeys: (text: string) => string): string {
  const nested = textOf(fieldsOf(error['metadata'])['raw']);
  const text = (textOf(error['message']) ?? 'no reason is given') + (nested === undefined ? '' : ` (${nested})`);
  return withoutKeys(text)
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .replace(/\b(?:sk|key|Bearer)[-_ ][\w.*-]{6,}/gi, '[key]')
    .slice(0, MAX_MESSAGE_LENGTH);
}
