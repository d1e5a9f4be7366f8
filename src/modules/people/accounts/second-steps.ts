import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { SecondFactorMethod } from '../../auth/sign-in-method.js';
import { type FirstStep, SignInFlowsService } from '../../auth/sign-in-flows.service.js';
import { SecondFactorsService } from '../../factors/second-factors.service.js';

/** What a sign-in that asks for a second factor goes on with. */
export interface SecondStep {
  readonly token: string;
  readonly methods: readonly SecondFactorMethod[];
}

/** Begins the second step of sign-ins whose first one was right. */
@Injectable()
export class SecondSteps {
  constructor(
    private readonly database: Database,
    private readonly flows: SignInFlowsService,
    private readonly factors: SecondFactorsService,
  ) {}

  /**
   * @param isExpected true when the running transaction is not that of the call, which is rolled back with the refusal
   *   that asks for the factor. Otherwise the step is stored apart from it.
   */
  async begin(first: FirstStep, isExpected: boolean): Promise<SecondStep> {
    const begin = (): Promise<string> => this.flows.begin(first);
    const token = await (isExpected ? begin() : this.database.apart(begin));
    return { token, methods: await this.factors.methodsOf(first.userId) };
  }
}
