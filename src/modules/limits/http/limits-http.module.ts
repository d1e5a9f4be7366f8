import { Global, Module } from '@nestjs/common';
import { FailureHeaders } from '../../../platform/http/failure-headers.js';
import { LimitsModule } from '../limits.module.js';
import { BudgetHeaders } from './budget-headers.js';

/** Global, because the error filter of the whole role asks for the headers of a failure. */
@Global()
@Module({
  imports: [LimitsModule],
  providers: [{ provide: FailureHeaders, useClass: BudgetHeaders }],
  exports: [FailureHeaders, LimitsModule],
})
export class LimitsHttpModule {}
