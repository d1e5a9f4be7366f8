import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import { type AttemptRule, AttemptsService } from '../auth/attempts.service.js';
import { SecretHasher } from '../auth/secret-hasher.js';
import { tokenKindOf } from '../auth/token-format.js';
import { TooManyAttempts } from '../limits/limits.errors.js';
import { FLOW_LIFETIME_MS } from './domain/flow-lifetimes.js';
import { answers } from './domain/proof-key.js';
import { returnPlaceOf } from './domain/return-place.js';
import { ReturnPlaceRefused } from './domain/return-place-refused.js';
import type { BegunSignIn, ShownCode } from './external-sign-ins.service.js';
import { BrowserSignInInvalid } from './identities.errors.js';
import { BROWSER_SIGN_IN_ID } from './identities.ids.js';
import { BrowserSignInsStore } from './persistence/browser-sign-ins.store.js';

/** What the sign-in page can begin with, for people who have not signed in. */
export const SIGN_IN_HINTS = ['passkey'] as const;
export type SignInHint = (typeof SIGN_IN_HINTS)[number];

export interface BeginBrowserSignInInput {
  /** What the program calls itself: 1 to 100 characters on one line. Nothing proves it. */
  readonly clientName: string;
  /** Where the program listens on the machine of the person. */
  readonly returnTo: string;
  /** The SHA-256 of a verifier that only the program knows, as base64url. */
  readonly challenge: string;
  readonly hint?: SignInHint | undefined;
}

const PLACES = 'http://127.0.0.1:<port>/… or http://[::1]:<port>/…';
const RULE: AttemptRule = {
  name: 'browser_sign_in',
  attempts: 30,
  periodSeconds: 900,
  Refusal: TooManyAttempts,
};

/** Sign-ins of programs that a person approves in the dashboard, as the programs see them. */
@Injectable()
export class BrowserSignInsService {
  constructor(
    private readonly config: Config,
    private readonly signIns: BrowserSignInsStore,
    private readonly hasher: SecretHasher,
    private readonly attempts: AttemptsService,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** True for the id of such a sign-in, whether or not there is one. */
  owns(id: string): boolean {
    return id.startsWith(`${BROWSER_SIGN_IN_ID.prefix}_`);
  }

  /**
   * Begins a sign-in that ends within ten minutes.
   *
   * @throws {RequestInvalid} `invalid_request`: only programs on the machine of the person get a code.
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  async begin({ clientName, returnTo, challenge, hint }: BeginBrowserSignInInput, ip: string): Promise<BegunSignIn> {
    const place = returnPlaceOf(returnTo, []);
    if (place === undefined) throw new ReturnPlaceRefused(PLACES);
    await this.attempts.countAddress(RULE, ip);
    const id = this.ids.next(BROWSER_SIGN_IN_ID);
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + FLOW_LIFETIME_MS);
    await this.signIns.insert({ id, clientName, returnTo: place, createdAt, expiresAt }, { challenge });
    const query = new URLSearchParams({ flow: id, ...(hint && { hint }) });
    return { id, authorizeUrl: `${this.config.dashboardUrl}/sign-in/approve?${query.toString()}`, expiresAt };
  }

  /**
   * Returns the session that approved the sign-in, without using the code up.
   *
   * @throws {BrowserSignInInvalid} `invalid_flow`
   */
  async approvingSessionOf({ id, code, verifier }: ShownCode): Promise<string> {
    const found =
      tokenKindOf(code) === 'flow'
        ? await this.signIns.findByCode(id, this.hasher.hashes(code), this.clock.now())
        : undefined;
    // Another program of the machine may have got the code, and has no verifier.
    if (found === undefined || !answers(verifier, found.challenge)) throw new BrowserSignInInvalid();
    return found.sessionId;
  }

  /**
   * Uses the code up in the running transaction. Of several calls at once, in all processes, one succeeds.
   *
   * @throws {BrowserSignInInvalid} `invalid_flow`
   */
  async redeem(id: string): Promise<void> {
    if (!(await this.signIns.delete(id))) throw new BrowserSignInInvalid();
  }
}
