import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { Reservation } from './bucket-rows.js';
import { gatheredByOrg } from './gathered-by-org.js';

const RESERVE = prepared(`
  WITH account AS (
    UPDATE storage_accounts SET reserved = reserved + $4
    WHERE org_id = $2 AND bytes + reserved + $4 <= $7 RETURNING org_id)
  INSERT INTO storage_reservations (id, org_id, bucket_id, bytes, blob, lease_until)
  SELECT $1, account.org_id, $3, $4::bigint, $5, $6 FROM account RETURNING id`);

const RESERVE_GATHERED = prepared(`
  WITH asked AS (
    SELECT * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[]) AS asked (id, bucket_id, bytes, blob)
  ), account AS (
    UPDATE storage_accounts SET reserved = reserved + (SELECT sum(bytes) FROM asked)
    WHERE org_id = $1 AND bytes + reserved + (SELECT sum(bytes) FROM asked) <= $7
    RETURNING org_id
  ), reserved AS (
    INSERT INTO storage_reservations (id, org_id, bucket_id, bytes, blob, lease_until)
    SELECT asked.id, account.org_id, asked.bucket_id, asked.bytes, asked.blob, $6 FROM asked CROSS JOIN account
  )
  SELECT org_id FROM account`);

/** The bytes go back, and the blob may be there. */
const GIVE_BACK = `
  WITH gone AS (
    DELETE FROM storage_reservations WHERE id IN (%) RETURNING org_id, bytes, blob
  ), doomed AS (
    INSERT INTO doomed_blobs (blob, due_at) SELECT blob, $2 FROM gone ON CONFLICT DO NOTHING
  ), total AS (
    SELECT org_id, sum(bytes) AS bytes FROM gone GROUP BY org_id ORDER BY org_id
  ), account AS (
    UPDATE storage_accounts SET reserved = reserved - total.bytes FROM total
    WHERE storage_accounts.org_id = total.org_id
  )
  SELECT count(*)::int AS n FROM gone`;

interface Reserving {
  readonly reservation: Reservation;
  readonly leaseUntil: Date;
  readonly quotaBytes: number;
}

@Injectable()
export class ReservationsStore {
  private readonly gathered = gatheredByOrg<Reserving, boolean>((all) => this.reserveAll(all));

  constructor(private readonly database: Database) {}

  /** Returns false when the organization would store more than its quota. Nothing is reserved then. */
  async reserve(reservation: Reservation, leaseUntil: Date, quotaBytes: number): Promise<boolean> {
    const { id, orgId, bucketId, bytes, blob } = reservation;
    const rows = await this.sql(RESERVE, [id, orgId, bucketId, bytes, blob, leaseUntil, quotaBytes]);
    return rows.length > 0;
  }

  /**
   * {@link reserve} for writes of an organization at the same time, which share a statement. Returns false, with
   * nothing reserved, when there is no room for all of these.
   */
  reserveWithOthers(reservation: Reservation, leaseUntil: Date, quotaBytes: number): Promise<boolean> {
    const reserving = { reservation, leaseUntil, quotaBytes };
    return this.database.inTransaction
      ? this.reserveAll([reserving]).then(([isReserved]) => isReserved!)
      : this.gathered(reserving);
  }

  /** Renews leases, and returns the ids of those that are still there. */
  async renew(ids: readonly string[], leaseUntil: Date): Promise<string[]> {
    const [rows] = await this.database.manager.query<[{ id: string }[], number]>(
      'UPDATE storage_reservations SET lease_until = $2 WHERE id = ANY($1::text[]) RETURNING id',
      [ids, leaseUntil],
    );
    return rows.map(({ id }) => id);
  }

  /** Gives the bytes of a write back that has come to nothing, and dooms its blob. */
  async giveBack(id: string, dueAt: Date): Promise<void> {
    await this.sql(GIVE_BACK.replace('%', '$1'), [id, dueAt]);
  }

  /** {@link giveBack} for up to `limit` writes whose lease has ended. Returns how many. */
  async giveBackExpired(now: Date, dueAt: Date, limit: number): Promise<number> {
    const [row] = await this.sql<{ n: number }>(
      GIVE_BACK.replace(
        '%',
        `SELECT id FROM storage_reservations WHERE lease_until < $1 ORDER BY lease_until LIMIT $3
         FOR UPDATE SKIP LOCKED`,
      ),
      [now, dueAt, limit],
    );
    return row!.n;
  }

  async count(): Promise<number> {
    const [row] = await this.sql<{ n: number }>('SELECT count(*)::int AS n FROM storage_reservations', []);
    return row!.n;
  }

  private async reserveAll(all: readonly Reserving[]): Promise<boolean[]> {
    const { reservation, leaseUntil, quotaBytes } = all.at(-1)!;
    const rows = await this.sql(RESERVE_GATHERED, [
      reservation.orgId,
      all.map(({ reservation: { id } }) => id),
      all.map(({ reservation: { bucketId } }) => bucketId),
      all.map(({ reservation: { bytes } }) => bytes),
      all.map(({ reservation: { blob } }) => blob),
      leaseUntil,
      quotaBytes,
    ]);
    return all.map(() => rows.length > 0);
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
