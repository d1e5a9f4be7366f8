import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

interface AppliedRow {
  readonly name: string;
}

/** The checks of the database that readiness needs. */
@Injectable()
export class DatabaseHealth {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws {Error} when the database does not answer. */
  async ping(): Promise<void> {
    await this.dataSource.query('SELECT 1');
  }

  /** Returns the names of migrations that this build contains and that have not been applied. */
  async pendingMigrations(): Promise<string[]> {
    const rows = await this.dataSource.query<AppliedRow[]>('SELECT name FROM migrations');
    const applied = new Set(rows.map(({ name }) => name));
    return this.dataSource.migrations.map(({ constructor }) => constructor.name).filter((name) => !applied.has(name));
  }
}
