import { Injectable } from '@nestjs/common';
import { type AttemptLimit, AttemptLimitService } from '../limits/attempt-limit.service.js';
import { clientAddressOf } from '../limits/client-address.js';
import type { LimitFacts } from '../limits/limits.errors.js';
import { SecretHasher } from './secret-hasher.js';

/** How often something may be tried, and the error that refuses the next attempt. */
export interface AttemptRule extends AttemptLimit {
  readonly Refusal: new (facts: LimitFacts) => Error;
}

/**
 * Counts attempts that guess at secrets or send messages to other people. Each module declares its own rules. What a
 * caller typed is hashed with the pepper before it becomes a key in Redis.
 */
@Injectable()
export class AttemptsService {
  constructor(
    private readonly limits: AttemptLimitService,
    private readonly hasher: SecretHasher,
  ) {}

  /** Counts an attempt for a subject that is safe to store, such as an id. Throws the rule's refusal. */
  async count({ Refusal, ...limit }: AttemptRule, subject: string): Promise<void> {
    const refused = await this.limits.take(limit, subject);
    if (refused !== undefined) throw new Refusal(refused);
  }

  /** Counts an attempt for the network of an IP address. Throws the rule's refusal. */
  countAddress(rule: AttemptRule, ip: string): Promise<void> {
    return this.count(rule, networkOf(ip));
  }

  /** Counts an attempt for a name that a caller typed. Throws the rule's refusal. */
  countTyped(rule: AttemptRule, typed: string): Promise<void> {
    return this.count(rule, this.blind(typed));
  }

  /** Counts an attempt for a name that a caller typed, apart for each network. Throws the rule's refusal. */
  countTypedFrom(rule: AttemptRule, typed: string, ip: string): Promise<void> {
    return this.count(rule, this.blind(`${typed} from ${networkOf(ip)}`));
  }

  private blind(text: string): string {
    return this.hasher.hash(`subject of attempts: ${text.toLowerCase()}`).hash.toString('base64url');
  }
}

const networkOf = (ip: string): string => clientAddressOf(ip).network;
