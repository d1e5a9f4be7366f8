import { Injectable } from '@nestjs/common';
import { type AttemptLimit, AttemptLimitService } from '../../limits/attempt-limit.service.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { type LimitFacts, TooManyAttempts } from '../../limits/limits.errors.js';
import { SecretHasher } from '../tokens/secret-hasher.js';
import { SignInLimitExceeded } from './attempts.errors.js';

const QUARTER_HOUR = 900;
const HOUR = 3_600;

const LIMITS = {
  signInByAddress: { name: 'sign_in_address', attempts: 30, periodSeconds: QUARTER_HOUR },
  signInByLoginAndAddress: { name: 'sign_in', attempts: 10, periodSeconds: QUARTER_HOUR },
  signInByLogin: { name: 'sign_in_account', attempts: 100, periodSeconds: QUARTER_HOUR },
  password: { name: 'password', attempts: 10, periodSeconds: QUARTER_HOUR },
  signUp: { name: 'sign_up', attempts: 10, periodSeconds: HOUR },
  forgotByAddress: { name: 'forgot_password_address', attempts: 20, periodSeconds: HOUR },
  forgotByEmail: { name: 'forgot_password', attempts: 5, periodSeconds: HOUR },
  resend: { name: 'verify_email', attempts: 5, periodSeconds: HOUR },
  unknownCredential: { name: 'unknown_credential', attempts: 100, periodSeconds: 60 },
  invite: { name: 'invite', attempts: 100, periodSeconds: HOUR },
} as const satisfies Record<string, AttemptLimit>;

/**
 * How often things may be tried that guess at secrets or send messages to others. What somebody typed is hashed with
 * the pepper before it becomes a key in Redis.
 */
@Injectable()
export class AttemptsService {
  constructor(
    private readonly limits: AttemptLimitService,
    private readonly hasher: SecretHasher,
  ) {}

  /**
   * Counts an attempt to sign in for the address, and for the name as it is tried from that address.
   *
   * @throws {SignInLimitExceeded} `sign_in_limit_exceeded`
   */
  async signIn(ip: string, login: string): Promise<void> {
    const network = networkOf(ip);
    await this.take(LIMITS.signInByAddress, network, SignInLimitExceeded);
    await this.take(LIMITS.signInByLoginAndAddress, this.blind(`${login} from ${network}`), SignInLimitExceeded);
  }

  /**
   * Counts an attempt from an address that is not known for the name: all such addresses share one limit, so that many
   * of them together cannot guess either. It never keeps the owner out, whose addresses are known.
   *
   * @throws {SignInLimitExceeded} `sign_in_limit_exceeded`
   */
  signInFromUnknownAddress(login: string): Promise<void> {
    return this.take(LIMITS.signInByLogin, this.blind(login), SignInLimitExceeded);
  }

  /** @throws {SignInLimitExceeded} `sign_in_limit_exceeded` */
  password(userId: string): Promise<void> {
    return this.take(LIMITS.password, userId, SignInLimitExceeded);
  }

  /** @throws {TooManyAttempts} `burst_limit_exceeded` */
  signUp(ip: string): Promise<void> {
    return this.take(LIMITS.signUp, networkOf(ip), TooManyAttempts);
  }

  /** Counted whether or not there is such an account. @throws {TooManyAttempts} `burst_limit_exceeded` */
  async forgotPassword(ip: string, email: string): Promise<void> {
    await this.take(LIMITS.forgotByAddress, networkOf(ip), TooManyAttempts);
    await this.take(LIMITS.forgotByEmail, this.blind(email), TooManyAttempts);
  }

  /** @throws {TooManyAttempts} `burst_limit_exceeded` */
  resendVerification(userId: string): Promise<void> {
    return this.take(LIMITS.resend, userId, TooManyAttempts);
  }

  /** @throws {TooManyAttempts} `burst_limit_exceeded` */
  invite(userId: string): Promise<void> {
    return this.take(LIMITS.invite, userId, TooManyAttempts);
  }

  /** Counts a key or session token that nobody has. @throws {TooManyAttempts} `burst_limit_exceeded` */
  unknownCredential(ip: string): Promise<void> {
    return this.take(LIMITS.unknownCredential, networkOf(ip), TooManyAttempts);
  }

  private async take(limit: AttemptLimit, subject: string, Refusal: new (facts: LimitFacts) => Error): Promise<void> {
    const refused = await this.limits.take(limit, subject);
    if (refused !== undefined) throw new Refusal(refused);
  }

  private blind(text: string): string {
    return this.hasher.hash(`subject of attempts: ${text.toLowerCase()}`).hash.toString('base64url');
  }
}

const networkOf = (ip: string): string => clientAddressOf(ip).network;
