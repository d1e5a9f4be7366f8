import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { BucketsService } from '../buckets/buckets.service.js';
import { ObjectsSettings } from '../objects.settings.js';
import { BucketView } from './bucket-views.dto.js';

/** The buckets of the personal organization, without their objects and access keys. */
@Injectable()
@ExportedAs('bucket')
export class ExportedBuckets implements PersonalDataSource {
  constructor(
    private readonly buckets: BucketsService,
    private readonly settings: ObjectsSettings,
  ) {}

  async *read(call: Call): AsyncIterable<BucketView[]> {
    for await (const buckets of allPages((page) => this.buckets.list(call, undefined, page)))
      yield buckets.map((bucket) => BucketView.of(bucket, this.settings));
  }
}
