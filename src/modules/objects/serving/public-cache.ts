import { buffer } from 'node:stream/consumers';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DatabaseNotifications } from '../../../platform/database/database-notifications.js';
import { ObjectsService } from '../objects/objects.service.js';
import type { Bucket, StoredObject } from '../persistence/bucket-rows.js';
import { BucketsStore } from '../persistence/buckets.store.js';
import { ObjectsStore } from '../persistence/objects.store.js';
import { FreshCache } from './fresh-cache.js';
import { headersOf, type HeaderPair } from './object-headers.js';

const CHANNEL = 'public_objects';
const BUCKETS_BYTES = 4 * 1_048_576;
const OBJECTS_BYTES = 64 * 1_048_576;
/** Larger objects are read from the storage each time. */
const SMALL_BYTES = 262_144;
const ROW_BYTES = 1_500;

/** An object as it is sent, with its bytes if there are few. */
export interface PublicObject {
  readonly object: StoredObject;
  readonly headers: readonly HeaderPair[];
  readonly bytes: Buffer | undefined;
}

/**
 * Keeps what hosts say about their buckets, and small public objects in memory. Triggers of the database notify every
 * process of each change. A page costs no query as long as nothing changes.
 */
@Injectable()
export class PublicCache implements OnApplicationBootstrap {
  private readonly buckets: FreshCache<Bucket>;
  private readonly objects: FreshCache<PublicObject>;

  constructor(
    buckets: BucketsStore,
    private readonly rows: ObjectsStore,
    private readonly contents: ObjectsService,
    private readonly notifications: DatabaseNotifications,
  ) {
    this.buckets = new FreshCache({
      maxBytes: BUCKETS_BYTES,
      bytesOf: ({ cors }) => ROW_BYTES + cors.length * ROW_BYTES,
      load: async (label) => (await buckets.findByLabel(label)) ?? null,
    });
    this.objects = new FreshCache({
      maxBytes: OBJECTS_BYTES,
      bytesOf: ({ bytes }) => ROW_BYTES + (bytes?.length ?? 0),
      load: (address, earlier) => this.load(address, earlier),
    });
  }

  onApplicationBootstrap(): void {
    this.notifications.listen(CHANNEL, (payload) => {
      this.changed(payload);
    });
  }

  /** Returns the bucket of a label, public or not, or null. */
  bucketOf(label: string): Bucket | null | Promise<Bucket | null> {
    const known = this.buckets.known(label);
    return known === undefined ? this.buckets.find(label) : known;
  }

  /** Returns an object of a public bucket, or null. */
  objectOf({ id }: Bucket, key: string): PublicObject | null | Promise<PublicObject | null> {
    const address = `${id}/${key}`;
    const known = this.objects.known(address);
    return known === undefined ? this.objects.find(address) : known;
  }

  /** The payload names an object as `bkt_…/key`, or a bucket by its label. Without one, anything may have changed. */
  private changed(payload: string | undefined): void {
    if (payload === undefined) {
      this.buckets.drop(() => true);
      this.objects.drop(() => true);
    } else if (payload.includes('/')) this.objects.dropKey(payload);
    else {
      const id = this.buckets.known(payload)?.id;
      this.buckets.dropKey(payload);
      this.objects.drop((address) => id === undefined || address.startsWith(`${id}/`));
    }
  }

  private async load(address: string, earlier: PublicObject | null | undefined): Promise<PublicObject | null> {
    const slash = address.indexOf('/');
    const object = await this.rows.find(address.slice(0, slash), address.slice(slash + 1));
    if (object === undefined) return null;
    const isSame = earlier?.object.revision === object.revision;
    const bytes = isSame ? earlier.bytes : await this.smallBytesOf(object);
    return { object, headers: headersOf(object, { visibility: 'public' }), bytes };
  }

  private async smallBytesOf(object: StoredObject): Promise<Buffer | undefined> {
    return object.size > SMALL_BYTES ? undefined : buffer(await this.contents.open(object));
  }
}
