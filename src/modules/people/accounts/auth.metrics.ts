import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';

const SIGN_INS = 'auth_sign_ins_total';
const SIGN_UPS = 'auth_sign_ups_total';

/** How an attempt ended. A `limited` attempt was refused before it was checked. */
type Result = 'succeeded' | 'refused' | 'limited';

@Injectable()
export class AuthMetrics {
  constructor(
    @InjectMetric(SIGN_INS) private readonly signIns: Counter,
    @InjectMetric(SIGN_UPS) private readonly signUps: Counter,
  ) {}

  signIn(result: Result): void {
    this.signIns.inc({ result });
  }

  signUp(result: Result): void {
    this.signUps.inc({ result });
  }
}

export const AUTH_METRICS: Provider[] = [
  AuthMetrics,
  makeCounterProvider({ name: SIGN_INS, help: 'Sign-in attempts by result.', labelNames: ['result'] }),
  makeCounterProvider({ name: SIGN_UPS, help: 'Sign-up attempts by result.', labelNames: ['result'] }),
];
