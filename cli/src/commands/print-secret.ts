import type { KeyWithSecret } from '@service/client';
import type { Context } from '../context.js';

/** Prints only the secret to standard output, so that it can be piped to a secret store and never shows on a screen. */
export function printSecret(context: Context, key: KeyWithSecret): void {
  context.note(`${key.name} (${key.id}). Its secret is shown once:`);
  context.print(key, key.secret);
}
