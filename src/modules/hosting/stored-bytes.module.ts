import { Module } from '@nestjs/common';
import { PlansModule } from '../plans/plans.module.js';
import { HostingPersistenceModule } from './persistence/hosting-persistence.module.js';
import { StoredBytesCounter } from './persistence/stored-bytes-counter.js';
import { StoredBytes } from './stored-bytes.js';

/** Separate from the rest of hosting, for modules that only need to know how much is stored. */
@Module({
  imports: [HostingPersistenceModule, PlansModule],
  providers: [StoredBytes, StoredBytesCounter],
  exports: [StoredBytes],
})
export class StoredBytesModule {}
