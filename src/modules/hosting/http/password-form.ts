import type { IncomingMessage } from 'node:http';
import { isForm } from '../../../platform/http/form-type.js';

const MAX_BYTES = 8_192;
const WITHIN_MS = 10_000;
const MAX_PASSWORD = 128;

/** What came is not the form of the page, or did not arrive in time. */
export class FormRefused extends Error {
  override readonly name = 'FormRefused';
}

export interface PasswordForm {
  readonly password: string;
  /** Where the visitor wanted to go. The visitor can change it. */
  readonly to: string;
}

/**
 * Reads the form that asks for the password.
 *
 * @throws {FormRefused}
 */
export async function passwordFormOf(request: IncomingMessage): Promise<PasswordForm> {
  if (!isForm(request)) throw new FormRefused();
  const fields = new URLSearchParams(await textOf(request));
  const password = fields.get('password') ?? '';
  if (password === '' || password.length > MAX_PASSWORD) throw new FormRefused();
  return { password, to: fields.get('to') ?? '/' };
}

function textOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (): void => {
      clearTimeout(late);
      request.off('data', take).off('end', done).off('close', refuse);
    };
    const refuse = (): void => {
      end();
      reject(new FormRefused());
    };
    const done = (): void => {
      end();
      resolve(Buffer.concat(chunks).toString());
    };
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) refuse();
      else chunks.push(chunk);
    };
    const late = setTimeout(refuse, WITHIN_MS).unref();
    request.on('data', take).once('end', done).once('close', refuse);
  });
}
