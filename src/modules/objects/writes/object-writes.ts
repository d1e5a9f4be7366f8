import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { RandomBytes } from '../../../platform/ids/random-bytes.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { STORAGE_RESERVATION_ID } from '../objects.ids.js';
import type { Bucket, ObjectPart, Reservation } from '../persistence/bucket-rows.js';
import type { ChangeTimes } from '../persistence/objects.store.js';
import { ReservationsStore } from '../persistence/reservations.store.js';
import { ObjectBlobs } from './object-blobs.js';
import { type MeasuredBody, MeasuringBody, type ObjectBody } from './object-body.js';
import { quotaBytesOf, WriteGate } from './write-gate.js';
import { WriteLeases } from './write-leases.js';

/** Readers of an object that is replaced have this long to finish. */
const DOOMED_FOR_MS = 3_600_000;

/** Bytes that are stored, and that no row names but their reservation. */
export interface WrittenBytes extends MeasuredBody {
  readonly reservation: Reservation;
  readonly size: number;
  /** Empty for no bytes. */
  readonly parts: readonly ObjectPart[];
}

/** Stores the bytes of objects and parts. */
@Injectable()
export class ObjectWrites {
  private readonly random = new RandomBytes();

  constructor(
    private readonly gate: WriteGate,
    private readonly reservations: ReservationsStore,
    private readonly leases: WriteLeases,
    private readonly blobs: ObjectBlobs,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** When something happens now, and when the blobs that it dooms go. */
  get times(): ChangeTimes {
    const now = this.clock.now();
    return { now, dueAt: new Date(now.getTime() + DOOMED_FOR_MS) };
  }

  /**
   * Reserves the announced length, stores the bytes, and calls `keep`, which makes a row of them and ends the
   * reservation in one statement. When anything fails, nothing is left but a doomed blob.
   *
   * @throws {StorageFull} `storage_full`
   * @throws {ObjectTooLarge} `object_too_large`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   * @throws {IncompleteBody} `incomplete_body`
   * @throws {ChecksumMismatch} `checksum_mismatch`
   */
  async write<T>(
    bucket: Pick<Bucket, 'id' | 'orgId'>,
    body: ObjectBody,
    keep: (written: WrittenBytes) => Promise<T>,
  ): Promise<T> {
    const reservation = await this.reserve(bucket, body.size);
    const release = this.leases.hold(reservation.id);
    try {
      return await keep(await this.store(reservation, body));
    } catch (error) {
      await this.giveBack(reservation);
      throw error;
    } finally {
      release();
    }
  }

  private async reserve({ id: bucketId, orgId }: Pick<Bucket, 'id' | 'orgId'>, bytes: number): Promise<Reservation> {
    const id = this.ids.next(STORAGE_RESERVATION_ID);
    const reservation = { id, orgId, bucketId, bytes, blob: this.nameOfBlob() };
    const plan = await this.gate.admit(orgId, bytes);
    const quotaBytes = quotaBytesOf(plan);
    if (await this.reservations.reserveWithOthers(reservation, this.leases.until(), quotaBytes)) return reservation;
    // There may be room for this write, and none for those that came at the same time.
    if (!(await this.reservations.reserve(reservation, this.leases.until(), quotaBytes)))
      throw await this.gate.full(orgId, plan);
    return reservation;
  }

  private async store(reservation: Reservation, body: ObjectBody): Promise<WrittenBytes> {
    const measuring = new MeasuringBody(body);
    const { size } = body;
    if (size === 0) await drain(measuring.read());
    else {
      await this.blobs.put(reservation.blob, {
        bytes: size,
        open: () => Readable.from(measuring.read(), { objectMode: false }),
        pieces: () => measuring.read(),
        isNew: true,
      });
    }
    const { measured } = measuring;
    const parts: ObjectPart[] = size === 0 ? [] : [[reservation.blob, size, measured.md5]];
    return { ...measured, reservation, size, parts };
  }

  /** A sweeper does it when this fails. */
  private async giveBack({ id }: Reservation): Promise<void> {
    try {
      await this.reservations.giveBack(id, this.times.dueAt);
    } catch (error) {
      this.log.warn({ error, reservationId: id }, 'A reservation of storage was not given back. It ends by itself.');
    }
  }

  /** Random, so that it tells nothing of what others store. */
  private nameOfBlob(): string {
    const name = this.random.take(16).toString('hex');
    return `blobs/${name.slice(0, 2)}/${name}`;
  }
}

/** A body of no bytes has no blob. What is read of it is an error. */
async function drain(bytes: AsyncGenerator<Buffer>): Promise<void> {
  while ((await bytes.next()).done !== true);
}
