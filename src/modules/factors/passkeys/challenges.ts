import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { SecretHasher } from '../../auth/secret-hasher.js';
import { SpentChallengesStore } from '../persistence/spent-challenges.store.js';

export const CHALLENGE_MS = 5 * 60_000;
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const PROOF_BYTES = 16;

/** What a challenge is for: to sign in, or to add a passkey to one account. */
export type ChallengePurpose = 'sign in' | `add to ${string}`;

/**
 * Challenges that a passkey signs. Everybody may ask for one, so none is stored: it says itself until when it counts
 * and proves that it comes from here. Only one that was used is noted, so that it counts once in all processes.
 */
@Injectable()
export class Challenges {
  constructor(
    private readonly hasher: SecretHasher,
    private readonly spent: SpentChallengesStore,
    private readonly clock: Clock,
  ) {}

  create(purpose: ChallengePurpose): Uint8Array<ArrayBuffer> {
    const head = Buffer.alloc(RANDOM_BYTES + TIME_BYTES);
    randomBytes(RANDOM_BYTES).copy(head);
    head.writeUIntBE(this.clock.now().getTime() + CHALLENGE_MS, RANDOM_BYTES, TIME_BYTES);
    const proof = this.hasher.hash(textOf(head, purpose)).hash.subarray(0, PROOF_BYTES);
    return new Uint8Array([...head, ...proof]);
  }

  /** True for a challenge of this service for this purpose that has not expired. */
  isOurs(challenge: string, purpose: ChallengePurpose): boolean {
    const bytes = Buffer.from(challenge, 'base64url');
    if (bytes.length !== RANDOM_BYTES + TIME_BYTES + PROOF_BYTES) return false;
    const head = bytes.subarray(0, RANDOM_BYTES + TIME_BYTES);
    const proof = bytes.subarray(RANDOM_BYTES + TIME_BYTES);
    return (
      expiryOf(bytes) > this.clock.now().getTime() &&
      this.hasher.hashes(textOf(head, purpose)).some((hash) => timingSafeEqual(hash.subarray(0, PROOF_BYTES), proof))
    );
  }

  /** Uses up a challenge in the running transaction. Returns false for one that was used before. */
  spend(challenge: string): Promise<boolean> {
    const bytes = Buffer.from(challenge, 'base64url');
    return this.spent.spend(bytes, new Date(expiryOf(bytes)));
  }
}

const expiryOf = (bytes: Buffer): number => bytes.readUIntBE(RANDOM_BYTES, TIME_BYTES);

const textOf = (head: Buffer, purpose: ChallengePurpose): string =>
  `passkey challenge to ${purpose}: ${head.toString('base64url')}`;
