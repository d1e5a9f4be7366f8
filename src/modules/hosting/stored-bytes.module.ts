import { Module } from '@nestjs/common';
import { PlansModule } from '../plans/plans.module.js';
import { StoredBytesCounter } from './persistence/stored-bytes-counter.js';
import { StoredBytesStore } from './persistence/stored-bytes.store.js';
import { StoredBytes } from './stored-bytes.js';

/** Apart from the rest of hosting, for those who only ask how much is stored. */
@Module({
  imports: [PlansModule],
  providers: [StoredBytes, StoredBytesCounter, StoredBytesStore],
  exports: [StoredBytes, StoredBytesStore],
})
export class StoredBytesModule {}
