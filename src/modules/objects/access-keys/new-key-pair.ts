import { randomBytes } from 'node:crypto';

/** Five bits each, so that every byte gives one character without a bias. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ID = /^AK[A-Z2-7]{18}$/;

export interface KeyPair {
  readonly id: string;
  readonly secret: string;
}

/** True for a text that can be the id of an access key. */
export const isAccessKeyId = (text: string): boolean => ID.test(text);

/** Returns an id of 20 characters and a secret of 40, as programs for S3 expect them. */
export const newKeyPair = (): KeyPair => ({
  id: `AK${Array.from(randomBytes(18), (byte) => ALPHABET[byte % ALPHABET.length]).join('')}`,
  secret: randomBytes(30).toString('base64url'),
});
