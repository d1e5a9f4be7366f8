import { Global, Module } from '@nestjs/common';
import { WriteGuarantees } from '../../../platform/http/write-guarantees.js';
import { AnswerVault } from '../writes/answer-vault.js';
import { IdempotencyService } from '../writes/idempotency.service.js';
import { IdempotencyStore } from '../persistence/idempotency.store.js';
import { UnsettledAttempts } from '../attempts/unsettled-attempts.js';
import { ApiWriteGuarantees } from './api-write-guarantees.js';

/** Global, because every route that writes uses these guarantees. */
@Global()
@Module({
  providers: [
    AnswerVault,
    IdempotencyService,
    IdempotencyStore,
    UnsettledAttempts,
    { provide: WriteGuarantees, useClass: ApiWriteGuarantees },
  ],
  exports: [WriteGuarantees],
})
export class IdempotencyHttpModule {}
