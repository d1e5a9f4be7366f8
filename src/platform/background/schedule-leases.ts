import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

/** A process that pauses for longer than this loses its lease to another one. */
const LEASE_SECONDS = 30;
const RENEW_EVERY_MS = 10_000;

export interface ScheduleLease {
  /** Aborted when the lease could not be renewed: another process may already be running the schedule. */
  readonly lost: AbortSignal;
  /** @param succeeded true starts a new period; after a failure, the next process may run at once. */
  release(succeeded: boolean): Promise<void>;
}

export interface ScheduleState {
  /** Null before the first success. */
  readonly lastSuccessAt: Date | null;
  readonly isRunning: boolean;
}

/**
 * Records which process runs a schedule that only one may run, and when it last succeeded. All times are those of the
 * database's clock.
 */
@Injectable()
export class ScheduleLeases {
  constructor(private readonly database: Database) {}

  /** Returns null while another process runs the schedule, and when it is not due yet. */
  async take(name: string, holder: string, everyMs: number): Promise<ScheduleLease | null> {
    const taken = await this.database.manager.query<object[]>(
      `
      INSERT INTO schedule_leases AS lease (name, holder, expires_at)
      VALUES ($1, $2, now() + make_interval(secs => $3))
      ON CONFLICT (name) DO UPDATE SET holder = $2, expires_at = now() + make_interval(secs => $3)
      WHERE lease.expires_at <= now()
        AND (lease.succeeded_at IS NULL OR lease.succeeded_at <= now() - make_interval(secs => $4))
      RETURNING name`,
      [name, holder, LEASE_SECONDS, everyMs / 1000],
    );
    return taken.length === 0 ? null : this.keep(name, holder);
  }

  /** Returns null before the first success. */
  async lastSuccess(name: string): Promise<Date | null> {
    const [row] = await this.database.manager.query<{ succeeded_at: Date | null }[]>(
      'SELECT succeeded_at FROM schedule_leases WHERE name = $1',
      [name],
    );
    return row?.succeeded_at ?? null;
  }

  /** Returns what is known of every schedule that has ever begun. */
  async states(): Promise<ReadonlyMap<string, ScheduleState>> {
    const rows = await this.database.manager.query<{ name: string; succeeded_at: Date | null; running: boolean }[]>(
      'SELECT name, succeeded_at, expires_at > now() AS running FROM schedule_leases',
    );
    return new Map(
      rows.map(({ name, succeeded_at: lastSuccessAt, running: isRunning }) => [name, { lastSuccessAt, isRunning }]),
    );
  }

  private keep(name: string, holder: string): ScheduleLease {
    const lost = new AbortController();
    const renewal = setInterval(() => {
      this.renew(name, holder)
        .catch(() => false)
        .then(
          (held) => {
            if (!held) lost.abort();
          },
          () => undefined,
        );
    }, RENEW_EVERY_MS);
    renewal.unref();
    return {
      lost: lost.signal,
      release: async (succeeded) => {
        clearInterval(renewal);
        await this.database.manager.query(
          `
          UPDATE schedule_leases SET expires_at = now(), succeeded_at = CASE WHEN $3 THEN now() ELSE succeeded_at END
          WHERE name = $1 AND holder = $2`,
          [name, holder, succeeded],
        );
      },
    };
  }

  private async renew(name: string, holder: string): Promise<boolean> {
    const [, renewed] = await this.database.manager.query<[unknown, number]>(
      'UPDATE schedule_leases SET expires_at = now() + make_interval(secs => $3) WHERE name = $1 AND holder = $2',
      [name, holder, LEASE_SECONDS],
    );
    return renewed === 1;
  }
}
