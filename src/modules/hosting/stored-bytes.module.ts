import { Module } from '@nestjs/common';
import { StoredBytesStore } from './persistence/stored-bytes.store.js';
import { StoredBytes } from './stored-bytes.service.js';

/** Apart from the rest of hosting, for those who only ask how much is stored. */
@Module({ providers: [StoredBytes, StoredBytesStore], exports: [StoredBytes, StoredBytesStore] })
export class StoredBytesModule {}
