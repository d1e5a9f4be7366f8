import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AttemptsModule } from '../auth/attempts.module.js';
import { SessionsModule } from '../auth/sessions.module.js';
import { TokensModule } from '../auth/tokens.module.js';
import { FactorChangesService } from './changes/factor-changes.service.js';
import { FactorSet } from './changes/factor-set.js';
import { FactorProofs } from './checks/factor-proofs.js';
import { FactorRecoveryService } from './factor-recovery.service.js';
import { FactorsService } from './factors.service.js';
import { FactorHistory } from './history/factor-history.js';
import { SECOND_FACTOR_METRICS } from './metrics/second-factor.metrics.js';
import { Challenges } from './passkeys/challenges.js';
import { PasskeySetupService } from './passkeys/passkey-setup.service.js';
import { RelyingParty } from './passkeys/relying-party.js';
import { FactorsPersistenceModule } from './persistence/factors-persistence.module.js';
import { RecoveryCodes } from './recovery/recovery-codes.js';
import { SecondFactorsService } from './second-factors.service.js';
import { TotpCodes } from './totp/totp-codes.js';
import { TotpSecrets } from './totp/totp-secrets.js';
import { TotpSetupService } from './totp/totp-setup.service.js';

@Module({
  imports: [AttemptsModule, AuditModule, FactorsPersistenceModule, SessionsModule, TokensModule],
  providers: [
    Challenges,
    FactorChangesService,
    FactorHistory,
    FactorProofs,
    FactorRecoveryService,
    FactorSet,
    FactorsService,
    PasskeySetupService,
    RecoveryCodes,
    RelyingParty,
    SecondFactorsService,
    TotpCodes,
    TotpSecrets,
    TotpSetupService,
    ...SECOND_FACTOR_METRICS,
  ],
  exports: [
    FactorChangesService,
    FactorRecoveryService,
    FactorsService,
    PasskeySetupService,
    SecondFactorsService,
    TotpSecrets,
    TotpSetupService,
  ],
})
export class FactorsModule {}
