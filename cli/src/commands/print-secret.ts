import type { KeyWithSecret } from '@service/client';
import type { Context } from '../context.js';

/** The secret alone on standard output, so that it can be piped to where it is kept without passing a screen. */
export function printSecret(context: Context, key: KeyWithSecret): void {
  context.note(`${key.name} (${key.id}). The secret is shown only now:`);
  context.print(key, key.secret);
}
