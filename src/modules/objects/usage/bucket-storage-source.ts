import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { StorageSource, StorageSources, type StoredBytes } from '../../metering/storage-source.js';
import { BucketSamplesStore } from '../persistence/bucket-samples.store.js';

const BATCH = 1_000;

/**
 * Meters the mean of what buckets kept in the last whole hours, so that bytes which came and went between two samples
 * count as well. It runs in the worker.
 */
@Injectable()
export class BucketStorageSource extends StorageSource implements OnApplicationBootstrap {
  readonly name = 'buckets';

  constructor(
    private readonly sources: StorageSources,
    private readonly samples: BucketSamplesStore,
    private readonly clock: Clock,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.sources.add(this);
  }

  async measure(): Promise<StoredBytes[]> {
    const now = this.clock.now();
    await this.samples.forgetDeleted(now);
    for (const table of ['buckets', 'deleted_buckets'] as const)
      await inBatches((limit) => this.samples.take(table, now, limit), { size: BATCH });
    return (await this.samples.all()).map(({ id, orgId, projectId, bytes }) => ({
      meter: 'object_storage',
      orgId,
      projectId,
      name: id,
      bytes: BigInt(bytes),
    }));
  }
}
