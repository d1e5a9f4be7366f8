import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { type StorageSample, StorageSamplesStore } from '../persistence/storage-samples.store.js';
import { type StorageSource, StorageSources, type StoredBytes } from '../storage-source.js';
import { type UsageEvent, UsageService } from '../usage.service.js';

const HOUR_MS = 3_600_000;
const BATCH = 1_000;

/**
 * Records the stored bytes of each hour. The first sample of an hour stands for all of it. Hours without a sample,
 * because no worker ran, are recorded with the next sample as the smaller of the two neighbouring samples, so that
 * nobody pays for what was not seen.
 */
@Injectable()
export class StorageSampler {
  constructor(
    private readonly sources: StorageSources,
    private readonly database: Database,
    private readonly samples: StorageSamplesStore,
    private readonly usage: UsageService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Samples all sources once for the current hour, even if several processes run at once. A source that fails does not
   * keep the others from being sampled.
   */
  async sample(): Promise<void> {
    for (const source of this.sources.all) {
      try {
        await this.sampleOf(source);
      } catch (error) {
        this.log.warn({ error, source: source.name }, 'Stored bytes could not be measured; retrying in a minute.');
      }
    }
  }

  private async sampleOf(source: StorageSource): Promise<void> {
    const hour = new Date(Math.floor(this.clock.now().getTime() / HOUR_MS) * HOUR_MS);
    if ([...(await this.samples.last(source.name)).values()].some((last) => isRecorded(last, hour))) return;
    const measured = await source.measure();
    await this.database.transaction(async () => {
      await this.samples.lock(source.name);
      const last = await this.samples.last(source.name);
      const due = measured.filter(({ name }) => !isRecorded(last.get(name), hour));
      const events = due.flatMap((stored) => eventsOf(source.name, stored, { last: last.get(stored.name), hour }));
      for (let first = 0; first < events.length; first += BATCH)
        await this.usage.record(events.slice(first, first + BATCH));
      await this.samples.replace(
        source.name,
        measured.map(({ name, bytes }) => {
          const known = last.get(name);
          return known !== undefined && isRecorded(known, hour) ? known : { name, hour, bytes };
        }),
      );
    });
  }
}

const isRecorded = (last: StorageSample | undefined, hour: Date): boolean => last !== undefined && last.hour >= hour;

/** Returns one event for each hour since the last recorded one. */
function eventsOf(
  source: string,
  { name, bytes, ...facts }: StoredBytes,
  { last, hour }: { last: StorageSample | undefined; hour: Date },
): UsageEvent[] {
  const event = (at: Date, quantity: bigint): UsageEvent => ({
    ...facts,
    source: `storage.${source}`,
    sourceId: name,
    quantity,
    occurredAt: at,
  });
  const missed: UsageEvent[] = [];
  if (last !== undefined) {
    const lesser = last.bytes < bytes ? last.bytes : bytes;
    for (let at = last.hour.getTime() + HOUR_MS; at < hour.getTime(); at += HOUR_MS)
      missed.push({ ...event(new Date(at), lesser), properties: { measured: 'no' } });
  }
  return [...missed, event(hour, bytes)];
}
