import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';
import type { FirstFactorMethod } from '../../auth/sign-in-method.js';

const SIGN_INS = 'auth_sign_ins_total';
const SIGN_UPS = 'auth_sign_ups_total';

/** How an attempt ended. A `limited` attempt was refused before it was checked. */
type Result = 'succeeded' | 'refused' | 'limited';
/** A `challenged` attempt had the first factor, and was asked for a second one. */
type SignInResult = Result | 'challenged';
/** What an attempt begins with. `browser` stands for a session in which the person lets a program in. */
export type CountedMethod = FirstFactorMethod | 'passkey' | 'browser';

@Injectable()
export class AuthMetrics {
  constructor(
    @InjectMetric(SIGN_INS) private readonly signIns: Counter,
    @InjectMetric(SIGN_UPS) private readonly signUps: Counter,
  ) {}

  signIn(result: SignInResult, method: CountedMethod): void {
    this.signIns.inc({ result, method });
  }

  signUp(result: Result): void {
    this.signUps.inc({ result });
  }
}

export const AUTH_METRICS: Provider[] = [
  AuthMetrics,
  makeCounterProvider({
    name: SIGN_INS,
    help: 'Sign-in attempts by result and method.',
    labelNames: ['result', 'method'],
  }),
  makeCounterProvider({ name: SIGN_UPS, help: 'Sign-up attempts by result.', labelNames: ['result'] }),
];
