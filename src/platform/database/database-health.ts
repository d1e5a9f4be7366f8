import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

interface AppliedRow {
  readonly name: string;
}

/** What readiness asks of the database. */
@Injectable()
export class DatabaseHealth {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws {Error} when the database does not answer. */
  async ping(): Promise<void> {
    await this.dataSource.query('SELECT 1');
  }

  /** The names of the migrations that this build brings and the database has not seen. */
  async pendingMigrations(): Promise<string[]> {
    const rows = await this.dataSource.query<AppliedRow[]>('SELECT name FROM migrations');
    const applied = new Set(rows.map(({ name }) => name));
    return this.dataSource.migrations.map(({ constructor }) => constructor.name).filter((name) => !applied.has(name));
  }
}
