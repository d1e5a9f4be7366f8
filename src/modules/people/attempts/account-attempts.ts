import { Injectable } from '@nestjs/common';
import { type AttemptRule, AttemptsService } from '../../auth/attempts.service.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import { SignInLimitExceeded } from './attempts.errors.js';

const QUARTER_HOUR = 900;
const HOUR = 3_600;

const signInRule = (name: string, attempts: number): AttemptRule => ({
  name,
  attempts,
  periodSeconds: QUARTER_HOUR,
  Refusal: SignInLimitExceeded,
});

const mailRule = (name: string, attempts: number): AttemptRule => ({
  name,
  attempts,
  periodSeconds: HOUR,
  Refusal: TooManyAttempts,
});

const RULES = {
  signInByAddress: signInRule('sign_in_address', 30),
  signInByLoginAndAddress: signInRule('sign_in', 10),
  signInByLogin: signInRule('sign_in_account', 100),
  password: signInRule('password', 10),
  signUp: mailRule('sign_up', 10),
  forgotByAddress: mailRule('forgot_password_address', 20),
  forgotByEmail: mailRule('forgot_password', 5),
  resend: mailRule('verify_email', 5),
  exportData: mailRule('export_data', 10),
  changeEmail: mailRule('change_email', 5),
  changeEmailTo: mailRule('change_email_address', 5),
};

/** Limits attempts to sign in, to sign up and to have mail sent. */
@Injectable()
export class AccountAttempts {
  constructor(private readonly attempts: AttemptsService) {}

  /**
   * Counts a sign-in attempt for the address, and for the login as it is tried from that address.
   *
   * @throws {SignInLimitExceeded} `sign_in_limit_exceeded`
   */
  async signIn(ip: string, login: string): Promise<void> {
    await this.attempts.countAddress(RULES.signInByAddress, ip);
    await this.attempts.countTypedFrom(RULES.signInByLoginAndAddress, login, ip);
  }

  /**
   * Counts an attempt from an address that is not known for the login. All such addresses share one limit, so a botnet
   * cannot guess either. It never locks the owner out, because the owner's addresses are known.
   *
   * @throws {SignInLimitExceeded} `sign_in_limit_exceeded`
   */
  signInFromUnknownAddress(login: string): Promise<void> {
    return this.attempts.countTyped(RULES.signInByLogin, login);
  }

  /** @throws {SignInLimitExceeded} `sign_in_limit_exceeded` */
  password(userId: string): Promise<void> {
    return this.attempts.count(RULES.password, userId);
  }

  /** @throws {TooManyAttempts} `burst_limit_exceeded` */
  signUp(ip: string): Promise<void> {
    return this.attempts.countAddress(RULES.signUp, ip);
  }

  /** Counts whether or not there is such an account. @throws {TooManyAttempts} `burst_limit_exceeded` */
  async forgotPassword(ip: string, email: string): Promise<void> {
    await this.attempts.countAddress(RULES.forgotByAddress, ip);
    await this.attempts.countTyped(RULES.forgotByEmail, email);
  }

  /**
   * Counts a change for the person, and for the address that gets a message: several people must not fill a mailbox.
   *
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async changeEmail(userId: string, email: string): Promise<void> {
    await this.attempts.count(RULES.changeEmail, userId);
    await this.attempts.countTyped(RULES.changeEmailTo, email);
  }

  /** @throws {TooManyAttempts} `burst_limit_exceeded` */
  exportData(userId: string): Promise<void> {
    return this.attempts.count(RULES.exportData, userId);
  }

  /** @throws {TooManyAttempts} `burst_limit_exceeded` */
  resendVerification(userId: string): Promise<void> {
    return this.attempts.count(RULES.resend, userId);
  }
}
