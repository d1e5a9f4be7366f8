import { Module } from '@nestjs/common';
import { EgressModule } from '../../../platform/egress/egress.module.js';
import { LeakedTokensModule } from '../../auth/leaked-tokens.module.js';
import { SECRET_SCANNING_METRICS } from '../metrics/secret-scanning.metrics.js';
import { ScanningKeys } from './scanning-keys.js';
import { SecretScanningService } from './secret-scanning.service.js';

@Module({
  imports: [EgressModule, LeakedTokensModule],
  providers: [ScanningKeys, SecretScanningService, ...SECRET_SCANNING_METRICS],
  exports: [SecretScanningService],
})
export class ScanningModule {}
