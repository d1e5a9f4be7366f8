import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A verifier has 43 characters or more (RFC 7636, section 4.1). */
export const VERIFIER_FORM = /^[A-Za-z0-9._~-]{43,128}$/;
/** The hash of a verifier by SHA-256, as base64url. */
export const CHALLENGE_FORM = /^[A-Za-z0-9_-]{43}$/;

export const createVerifier = (): string => randomBytes(32).toString('base64url');

/** Returns the challenge that a verifier answers (RFC 7636, method S256). */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** True when the verifier answers the challenge. It takes the same time for every wrong one. */
export function answers(verifier: string, challenge: string): boolean {
  const [given, wanted] = [Buffer.from(challengeOf(verifier)), Buffer.from(challenge)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
