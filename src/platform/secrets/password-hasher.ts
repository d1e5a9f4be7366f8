import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { Turns } from '../time/turns.js';

/** The minimum that OWASP recommends for Argon2id, the default of the library: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Hashes passwords of people with Argon2id, and checks them. Each takes about 25 ms of a processor. */
export class PasswordHasher {
  private readonly turns: Turns;

  /** @param mostWaiting the limit of tasks that wait while others keep all processors but one busy. */
  constructor(mostWaiting: number) {
    this.turns = new Turns({ atOnce: Math.max(1, availableParallelism() - 1), mostWaiting });
  }

  /** @throws {ServiceUnavailable} `service_unavailable`: too many tasks are waiting. */
  hash(password: string): Promise<string> {
    return this.turns.take(() => hash(normalize(password), COST));
  }

  /** @throws {ServiceUnavailable} `service_unavailable`: too many tasks are waiting. */
  verify(passwordHash: string, password: string): Promise<boolean> {
    return this.turns.take(() => verify(passwordHash, normalize(password)));
  }
}

/** Keyboards encode the same character in different ways. */
const normalize = (password: string): string => password.normalize('NFKC');
