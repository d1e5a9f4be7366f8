import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { StorageSource, StorageSources, type StoredBytes } from '../../metering/storage-source.js';
import { DatabaseSizesStore } from '../persistence/database-sizes.store.js';

/**
 * Meters the size of databases beyond that of an empty one, asleep or not. Deleted databases, their log and their
 * backups cost nothing. It runs in the worker.
 */
@Injectable()
export class DatabaseStorageSource extends StorageSource implements OnApplicationBootstrap {
  readonly name = 'databases';

  constructor(
    private readonly sources: StorageSources,
    private readonly sizes: DatabaseSizesStore,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.sources.add(this);
  }

  async measure(): Promise<StoredBytes[]> {
    return (await this.sizes.metered()).map((stored) => ({ ...stored, meter: 'database_storage' }));
  }
}
