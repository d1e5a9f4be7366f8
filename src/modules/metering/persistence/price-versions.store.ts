import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Meter } from '../meter.js';
import type { PriceVersion } from '../prices/price-version.js';

interface Row {
  readonly id: string;
  readonly book: string;
  readonly meter: Meter;
  readonly model: string;
  readonly price_nano: string;
  readonly effective_from: Date;
}

/** Versions are only added. The table refuses changes to them. */
@Injectable()
export class PriceVersionsStore {
  constructor(private readonly database: Database) {}

  /** Lets one process at a time add versions, until the running transaction ends. */
  async lock(): Promise<void> {
    await this.database.manager.query("SELECT pg_advisory_xact_lock(hashtext('price_versions'))");
  }

  async list(): Promise<PriceVersion[]> {
    const rows = await this.database.manager.query<Row[]>('SELECT * FROM price_versions');
    return rows.map(({ id, book, meter, model, price_nano, effective_from }) => ({
      id,
      book,
      meter,
      model: model === '' ? null : model,
      priceNano: BigInt(price_nano),
      from: effective_from,
    }));
  }

  async add(versions: readonly PriceVersion[], now: Date): Promise<void> {
    if (versions.length === 0) return;
    await this.database.manager.query(
      `
      INSERT INTO price_versions (id, meter, model, price_nano, effective_from, book, created_at)
      SELECT given.*, $7
      FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[], $6::text[])
        AS given (id, meter, model, price_nano, effective_from, book)`,
      [
        versions.map(({ id }) => id),
        versions.map(({ meter }) => meter),
        versions.map(({ model }) => model ?? ''),
        versions.map(({ priceNano }) => priceNano.toString()),
        versions.map(({ from }) => from),
        versions.map(({ book }) => book),
        now,
      ],
    );
  }
}
