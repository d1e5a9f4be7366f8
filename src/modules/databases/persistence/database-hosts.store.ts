import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { EngineKind } from './database-rows.js';

/** A host that was not seen for this long gets no new databases. It reports each 10 s. */
const SEEN_WITHIN_MS = 30_000;

export interface PlacedHost {
  readonly id: string;
  readonly engine: EngineKind;
}

/** What a host reports of itself. */
export interface SeenHost {
  readonly id: string;
  /** Where other processes of the service reach it. */
  readonly address: string;
  readonly certificateSha256: string;
  readonly engine: EngineKind;
  readonly postgresVersion: string;
  /** Why it cannot keep databases, for the operator, or null. */
  readonly unavailable: string | null;
  readonly seenAt: Date;
}

@Injectable()
export class DatabaseHostsStore {
  constructor(private readonly database: Database) {}

  /** Returns the available host with the fewest databases, or undefined when there is none. */
  async leastUsed(): Promise<PlacedHost | undefined> {
    const [row] = await this.database.manager.query<PlacedHost[]>(
      `
      SELECT host.id, host.engine FROM database_hosts host
      WHERE host.unavailable IS NULL AND host.seen_at > now() - $1 * interval '1 millisecond'
      ORDER BY (SELECT count(*) FROM databases WHERE databases.host_id = host.id), host.id LIMIT 1`,
      [SEEN_WITHIN_MS],
    );
    return row;
  }

  /** Returns the ports on which the hosts have said that they listen. */
  async portsOf(ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.database.manager.query<{ id: string; port: number }[]>(
      `SELECT id, substring(address FROM ':([0-9]+)$')::int AS port FROM database_hosts
       WHERE id = ANY($1::text[]) AND address ~ ':[0-9]+$'`,
      [ids],
    );
    return new Map(rows.map(({ id, port }) => [id, port]));
  }

  async seen(host: SeenHost): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO database_hosts (id, address, certificate_sha256, engine, postgres_version, unavailable, seen_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (id) DO UPDATE SET address = $2, certificate_sha256 = $3, engine = $4, postgres_version = $5,
        unavailable = $6, seen_at = $7`,
      [host.id, host.address, host.certificateSha256, host.engine, host.postgresVersion, host.unavailable, host.seenAt],
    );
  }
}
