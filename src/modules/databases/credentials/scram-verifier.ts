import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** Clients refuse fewer. The secrets are random, so more would protect nothing and cost each client time. */
const ITERATIONS = 4_096;
const FORM = /^SCRAM-SHA-256\$(\d{1,7}):([A-Za-z0-9+/=]{24})\$([A-Za-z0-9+/=]{44}):([A-Za-z0-9+/=]{44})$/;

/** What checks a password and does not reveal it (RFC 5802). */
export interface ScramVerifier {
  readonly iterations: number;
  readonly salt: Buffer;
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;
}

export const hmac = (key: Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();
export const sha256 = (data: Buffer): Buffer => createHash('sha256').update(data).digest();

/** @param password printable ASCII, which needs no normalization. */
export async function verifierOf(password: string, salt = randomBytes(SALT_BYTES)): Promise<ScramVerifier> {
  const salted = await promisify(pbkdf2)(password, salt, ITERATIONS, HASH_BYTES, 'sha256');
  return {
    iterations: ITERATIONS,
    salt,
    storedKey: sha256(hmac(salted, 'Client Key')),
    serverKey: hmac(salted, 'Server Key'),
  };
}

/**
 * A verifier that no password fits. For the same name it always has the same salt, so that an unknown name looks like
 * a known one however often it is tried.
 */
export function verifierOfUnknown(key: Buffer, name: string): ScramVerifier {
  const part = (purpose: string): Buffer => hmac(key, `${purpose} ${name}`);
  return {
    iterations: ITERATIONS,
    salt: part('salt').subarray(0, SALT_BYTES),
    storedKey: part('stored key'),
    serverKey: part('server key'),
  };
}

/** The form in which PostgreSQL stores it too. */
export const verifierText = ({ iterations, salt, storedKey, serverKey }: ScramVerifier): string =>
  `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}` +
  `$${storedKey.toString('base64')}:${serverKey.toString('base64')}`;

export function parseVerifier(text: string): ScramVerifier {
  const [, iterations, ...parts] = FORM.exec(text) ?? [];
  if (iterations === undefined) throw new Error('A stored verifier is broken.');
  const [salt, storedKey, serverKey] = parts.map((part) => Buffer.from(part, 'base64')) as [Buffer, Buffer, Buffer];
  return { iterations: Number(iterations), salt, storedKey, serverKey };
}
