import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { RecentSignInRequired, SessionRequired } from '../../auth/auth.errors.js';
import type { Call } from '../../auth/caller.js';
import { RECENT_SIGN_IN_MS } from '../../auth/require-recent-sign-in.js';
import { SecretHasher } from '../../auth/secret-hasher.js';
import { CODE_LIFETIME_MS } from '../domain/flow-lifetimes.js';
import { withResult } from '../domain/return-place.js';
import { BrowserSignInInvalid } from '../identities.errors.js';
import { BrowserSignInsStore, type WaitingSignIn } from '../persistence/browser-sign-ins.store.js';

export type { WaitingSignIn };

/** The sign-in of the person must still be recent when the program, which has the code for a minute, makes its key. */
const MARGIN_MS = 2 * CODE_LIFETIME_MS;

/**
 * Lets people in a session decide on the sign-ins of programs. Anyone with the link can, because the code goes to the
 * machine of their own browser alone.
 */
@Injectable()
export class BrowserSignInDecisionsService {
  constructor(
    private readonly signIns: BrowserSignInsStore,
    private readonly hasher: SecretHasher,
    private readonly clock: Clock,
  ) {}

  /** @throws {BrowserSignInInvalid} `invalid_flow` */
  async find(id: string): Promise<WaitingSignIn> {
    const found = await this.signIns.findWaiting(id, this.clock.now());
    if (found === undefined) throw new BrowserSignInInvalid();
    return found;
  }

  /**
   * Lets the program have a session of the person. The route has asked for a recent sign-in.
   *
   * @returns where the program listens, with a code that counts once within a minute.
   * @throws {RecentSignInRequired} `recent_sign_in_required`: it is recent for less than two more minutes.
   * @throws {BrowserSignInInvalid} `invalid_flow`
   */
  async approve(id: string, { principal: { credential, user } }: Call): Promise<string> {
    if (credential.type !== 'session') throw new SessionRequired();
    const now = this.clock.now();
    const earliest = now.getTime() - RECENT_SIGN_IN_MS + MARGIN_MS;
    if (credential.signIn === undefined || credential.signIn.at.getTime() < earliest)
      throw new RecentSignInRequired(user.hasSecondFactor);
    const code = this.hasher.createToken('flow');
    const returnTo = await this.signIns.approve(id, {
      sessionId: credential.sessionId,
      codeHash: this.hasher.hash(code).hash,
      now,
      codeExpiresAt: new Date(now.getTime() + CODE_LIFETIME_MS),
    });
    if (returnTo === undefined) throw new BrowserSignInInvalid();
    return withResult(returnTo, 'code', code);
  }

  /**
   * Ends the sign-in.
   *
   * @returns where the program listens, with an error.
   * @throws {BrowserSignInInvalid} `invalid_flow`
   */
  async deny(id: string): Promise<string> {
    const returnTo = await this.signIns.deny(id, this.clock.now());
    if (returnTo === undefined) throw new BrowserSignInInvalid();
    return withResult(returnTo, 'error', 'access_denied');
  }
}
