import { Injectable } from '@nestjs/common';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import { SignInFlowInvalid } from './auth.errors.js';
import { SignInFlowsStore } from './persistence/sign-in-flows.store.js';
import { SecretHasher } from './secret-hasher.js';
import { SIGN_IN_FLOW_ID } from './sessions/sessions.ids.js';
import type { FirstFactorMethod } from './sign-in-method.js';
import { tokenKindOf } from './token-format.js';

const LIFETIME_MS = 5 * 60_000;

/** The first step of a sign-in: who it was, and what was shown. */
export interface FirstStep {
  readonly userId: string;
  readonly method: FirstFactorMethod;
  /** The SSO connection, if that is the method. */
  readonly connectionId?: string | undefined;
}

/** Sign-ins of two steps. What was shown in the first is remembered for five minutes, and ends with one session. */
@Injectable()
export class SignInFlowsService {
  constructor(
    private readonly flows: SignInFlowsStore,
    private readonly hasher: SecretHasher,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Begins the second step in the running transaction, and returns its token, which is returned only once. */
  async begin({ userId, method, connectionId }: FirstStep): Promise<string> {
    const token = this.hasher.createToken('flow');
    const now = this.clock.now();
    await this.flows.insert({
      id: this.ids.next(SIGN_IN_FLOW_ID),
      userId,
      method,
      connectionId: connectionId ?? null,
      tokenHash: this.hasher.hash(token).hash,
      createdAt: now,
      expiresAt: new Date(now.getTime() + LIFETIME_MS),
    });
    return token;
  }

  /**
   * Returns how the sign-in began, without ending it.
   *
   * @throws {SignInFlowInvalid} `invalid_flow`
   */
  async firstStepOf(token: string): Promise<FirstStep> {
    const found =
      tokenKindOf(token) === 'flow' ? await this.flows.find(this.hasher.hashes(token), this.clock.now()) : undefined;
    if (found === undefined) throw new SignInFlowInvalid();
    const { userId, method, connectionId } = found;
    return { userId, method, connectionId: connectionId ?? undefined };
  }

  /**
   * Ends the sign-in in the running transaction. Of several calls at once, in all processes, one succeeds.
   *
   * @throws {SignInFlowInvalid} `invalid_flow`
   */
  async finish(token: string): Promise<void> {
    if (!(await this.flows.delete(this.hasher.hashes(token), this.clock.now()))) throw new SignInFlowInvalid();
  }
}
