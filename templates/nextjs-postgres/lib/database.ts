import { Pool } from 'pg';

/**
 * DATABASE_URL is set for every project that a database is attached to. It holds no password: only this app can reach
 * the database there.
 */
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 5 });

export interface Entry {
  readonly id: number;
  readonly name: string;
  readonly message: string;
  readonly created_at: Date;
}

let created: Promise<unknown> | undefined;

/** The table is created on the first use, so that the app works as soon as it is deployed. */
async function ready(): Promise<void> {
  created ??= pool.query(`
    CREATE TABLE IF NOT EXISTS entries (
      id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name       text        NOT NULL,
      message    text        NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    )`);
  try {
    await created;
  } catch (error) {
    created = undefined;
    throw error;
  }
}

export async function latestEntries(): Promise<Entry[]> {
  await ready();
  const { rows } = await pool.query<Entry>('SELECT id, name, message, created_at FROM entries ORDER BY id DESC LIMIT 50');
  return rows;
}

export async function addEntry(name: string, message: string): Promise<void> {
  await ready();
  await pool.query('INSERT INTO entries (name, message) VALUES ($1, $2)', [name, message]);
}
