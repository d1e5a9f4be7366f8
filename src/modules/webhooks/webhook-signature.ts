import { createHmac } from 'node:crypto';

/** What is signed: the id and the time of a message, and its body as it is sent. */
interface SignedMessage {
  readonly id: string;
  readonly seconds: number;
  readonly body: string;
}

const PREFIX = 'whsec_';

/** True for a secret as receivers configure it: `whsec_` and Base64 of 16 bytes or more. */
export const isWebhookSecret = (text: string): boolean => /^whsec_[A-Za-z0-9+/]{22,200}={0,2}$/.test(text);

/** Writes a secret as receivers configure it. */
export const secretOf = (bytes: Buffer): string => PREFIX + bytes.toString('base64');

/** Signs a message as Standard Webhooks describes it, once with each secret that is valid now. */
export function signatureOf({ id, seconds, body }: SignedMessage, secrets: readonly string[]): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
