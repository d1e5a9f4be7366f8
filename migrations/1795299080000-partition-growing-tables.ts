import type { MigrationInterface, QueryRunner } from 'typeorm';

interface GrowingTable {
  readonly name: string;
  /** The column whose ids begin with the time, and its prefix. */
  readonly key: string;
  readonly prefix: string;
  /** The tables that its keys refer to, which a change of these keys locks as well. */
  readonly references: readonly string[];
  /** What `LIKE` does not copy. */
  readonly keys: readonly string[];
  readonly indexes: readonly string[];
  /** A trigger for each statement. Those of a table do not guard its partitions, so each has its own. */
  readonly trigger?: string;
}

const TABLES: readonly GrowingTable[] = [
  {
    name: 'audit_log',
    key: 'id',
    prefix: 'aud_',
    references: ['organizations', 'users'],
    keys: [
      'CONSTRAINT audit_log_pkey PRIMARY KEY (id)',
      'CONSTRAINT audit_log_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations (id)',
      'CONSTRAINT audit_log_actor_user_id_fkey FOREIGN KEY (actor_user_id) REFERENCES users (id)',
    ],
    indexes: ['CREATE INDEX audit_log_by_org ON audit_log (org_id, id DESC)'],
    trigger: `CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log()`,
  },
  {
    name: 'deploy_log_lines',
    key: 'deploy_id',
    prefix: 'dpl_',
    references: ['deploys'],
    keys: [
      'CONSTRAINT deploy_log_lines_pkey PRIMARY KEY (deploy_id, seq)',
      `CONSTRAINT deploy_log_lines_deploy_id_fkey FOREIGN KEY (deploy_id) REFERENCES deploys (id) ON DELETE CASCADE`,
    ],
    indexes: [],
  },
  {
    name: 'run_events',
    key: 'run_id',
    prefix: 'run_',
    references: ['runs'],
    keys: [
      'CONSTRAINT run_events_pkey PRIMARY KEY (run_id, seq)',
      'CONSTRAINT run_events_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs (id) ON DELETE CASCADE',
    ],
    indexes: [],
  },
];

/**
 * No caller waits longer for the locks of one attempt. Then the migration lets them pass, and tries again. It is less
 * than the second after which PostgreSQL looks for transactions that wait for each other: the migration gives way, and
 * no request is ended.
 */
const LOCK_TIMEOUT_MS = 500;
/** For locks that let others read and write, and that nobody who does so waits behind. */
const HARMLESS_LOCK_TIMEOUT_MS = 10_000;
const MAX_PAUSE_MS = 15_000;
/** A backup reads all tables for as long as it takes. */
const TRY_FOR_MS = 3_600_000;
/** For what has to be removed after a failure. */
const REMOVE_FOR_MS = 300_000;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Tables that grow get a partition for each month. The month of a row follows from its id, which begins with its time,
 * so that keys are as unique as before, and each statement of the previous release means what it meant.
 *
 * No row is moved: the table of until now becomes the partition of all that is older than the month after next, which a
 * constraint proves beforehand. The constraint is verified while others write, so each step commits by itself; each can
 * be repeated after an interruption. Until the table has partitions, the constraint refuses rows of the month after
 * next. So it is removed when this migration fails, and renewed when the migration is repeated in a later month.
 */
export class PartitionGrowingTables1795299080000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS partition_archives (
        table_name      text        NOT NULL,
        partition_name  text        NOT NULL,
        first_key       text,
        last_key        text,
        rows            bigint      NOT NULL CHECK (rows >= 0),
        manifest_key    text        NOT NULL,
        manifest_bytes  integer     NOT NULL,
        manifest_sha256 text        NOT NULL,
        archived_at     timestamptz NOT NULL,
        PRIMARY KEY (table_name, partition_name, archived_at)
      )
    `);
    const giveUpAtMs = performance.now() + TRY_FOR_MS;
    for (const table of TABLES) {
      if (await isPartitioned(runner, table)) continue;
      try {
        const month = await proveBound(runner, table, giveUpAtMs);
        const tables = [...table.references, table.name];
        await whileAlone(runner, { tables, giveUpAtMs }, () => this.partition(runner, table, month));
      } catch (error) {
        await removeProof(runner, table, error as Error);
        throw error;
      }
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [...TABLES].reverse()) {
      const { name, keys, indexes, trigger } = table;
      if (!(await isPartitioned(runner, table))) continue;
      await runner.query(`ALTER TABLE ${name} RENAME TO ${name}_parts`);
      for (const { conname } of await constraintsOf(runner, `${name}_parts`))
        await runner.query(`ALTER TABLE ${name}_parts RENAME CONSTRAINT ${conname} TO parts_${conname}`);
      for (const { indexname } of await indexesOf(runner, `${name}_parts`))
        await runner.query(`ALTER INDEX ${indexname} RENAME TO parts_${indexname}`);
      await runner.query(`CREATE TABLE ${name} (LIKE ${name}_parts INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
      for (const { conname } of await constraintsOf(runner, name)) {
        if (conname.startsWith('parts_'))
          await runner.query(`ALTER TABLE ${name} RENAME CONSTRAINT ${conname} TO ${conname.slice('parts_'.length)}`);
      }
      await runner.query(`INSERT INTO ${name} SELECT * FROM ${name}_parts`);
      await runner.query(`DROP TABLE ${name}_parts`);
      for (const key of keys) await runner.query(`ALTER TABLE ${name} ADD ${key}`);
      for (const index of indexes) await runner.query(index);
      if (trigger !== undefined) await runner.query(trigger.replace('{table}', name));
    }
    await runner.query('DROP TABLE partition_archives');
  }

  private async partition(runner: QueryRunner, table: GrowingTable, month: Date): Promise<void> {
    const { name, key, keys, indexes, trigger } = table;
    const old = `${name}_until_${month.toISOString().slice(0, 7).replace('-', '_')}`;
    for (const { indexname } of await indexesOf(runner, name))
      await runner.query(`ALTER INDEX ${indexname} RENAME TO ${indexname.replace(name, old)}`);
    await runner.query(`ALTER TABLE ${name} RENAME TO ${old}`);
    await runner.query(
      `CREATE TABLE ${name} (LIKE ${old} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (${key})`,
    );
    await runner.query(`ALTER TABLE ${name} DROP CONSTRAINT ${proofOf(table)}`);
    for (const each of keys) await runner.query(`ALTER TABLE ${name} ADD ${each}`);
    for (const index of indexes) await runner.query(index);
    await runner.query(
      `ALTER TABLE ${name} ATTACH PARTITION ${old} FOR VALUES FROM (MINVALUE) TO ('${firstIdFrom(table, month)}')`,
    );
    await runner.query(`ALTER TABLE ${old} DROP CONSTRAINT ${proofOf(table)}`);
    // What no other partition takes, so that nothing is refused when one is missing.
    await runner.query(`CREATE TABLE ${name}_default PARTITION OF ${name} DEFAULT`);
    if (trigger === undefined) return;
    for (const each of [name, `${name}_default`]) await runner.query(trigger.replace('{table}', each));
  }
}

const proofOf = ({ name }: GrowingTable): string => `${name}_before_partitions`;

/** Returns the month that all rows are older than, and any that the previous release writes during this migration. */
async function proveBound(runner: QueryRunner, table: GrowingTable, giveUpAtMs: number): Promise<Date> {
  const { name, key } = table;
  const soonest = await monthAfterAll(runner, table);
  const found = await findProved(runner, table);
  const isLateEnough = found !== undefined && found >= soonest;
  if (!isLateEnough)
    await whileAlone(runner, { tables: [name], giveUpAtMs }, () =>
      runner.query(
        `ALTER TABLE ${name} DROP CONSTRAINT IF EXISTS ${proofOf(table)}, ADD CONSTRAINT ${proofOf(table)} ` +
          `CHECK (${key} < '${firstIdFrom(table, soonest)}') NOT VALID`,
      ),
    );
  await patiently(runner, giveUpAtMs, async () => {
    await limitLocks(runner, HARMLESS_LOCK_TIMEOUT_MS);
    await runner.query(`ALTER TABLE ${name} VALIDATE CONSTRAINT ${proofOf(table)}`);
  });
  return isLateEnough ? found : soonest;
}

/** @throws {Error} when a row is of a later month than that. All months until then would be in one partition. */
async function monthAfterAll(runner: QueryRunner, table: GrowingTable): Promise<Date> {
  const { name, key, prefix } = table;
  const [{ now, last }] = (await runner.query(`SELECT now() AS now, (SELECT max(${key}) FROM ${name}) AS last`)) as [
    { now: Date; last: string | null },
  ];
  const month = monthAfterNextOf(now);
  if (last === null) return month;
  if (last >= firstIdFrom(table, month))
    throw new Error(
      `The table ${name} has rows with the id ${last}, whose time is in the month after next or later: a clock was ` +
        'wrong. Move them to another table until after the upgrade: docs/operations/partitions.md, "The upgrade".',
    );
  return monthAfterNextOf(new Date(Math.max(now.getTime(), timeOf(last.slice(prefix.length)))));
}

/** Finds the month of a constraint that an interrupted attempt has left. */
async function findProved(runner: QueryRunner, table: GrowingTable): Promise<Date | undefined> {
  const [found] = (await runner.query(
    'SELECT pg_get_constraintdef(oid) AS is FROM pg_constraint WHERE conrelid = $1::regclass AND conname = $2',
    [table.name, proofOf(table)],
  )) as { is: string }[];
  if (found === undefined) return undefined;
  return new Date(timeOf(new RegExp(`'${table.prefix}([0-9a-z]{10})'`).exec(found.is)![1]!));
}

/**
 * Removes the constraint after a failure, because the previous release goes on writing.
 * @throws {Error} when that fails as well; it says what is left to do.
 */
async function removeProof(runner: QueryRunner, table: GrowingTable, cause: Error): Promise<void> {
  const statement = `ALTER TABLE ${table.name} DROP CONSTRAINT IF EXISTS ${proofOf(table)}`;
  try {
    if ((await findProved(runner, table)) === undefined) return;
    const giveUpAtMs = performance.now() + REMOVE_FOR_MS;
    await whileAlone(runner, { tables: [table.name], giveUpAtMs }, () => runner.query(statement));
  } catch {
    throw new Error(
      `${cause.message}\nA constraint may be left that refuses rows of the month after next. Migrate again before ` +
        `that month begins, or run "${statement}".`,
      { cause },
    );
  }
}

/** Runs work in a transaction that has tables to itself. */
async function whileAlone(
  runner: QueryRunner,
  { tables, giveUpAtMs }: { tables: readonly string[]; giveUpAtMs: number },
  work: () => Promise<unknown>,
): Promise<void> {
  const names = tables.join(', ');
  await patiently(runner, giveUpAtMs, async () => {
    // An autovacuum holds this lock too, and PostgreSQL ends it for one who waits for a second.
    await limitLocks(runner, HARMLESS_LOCK_TIMEOUT_MS);
    await runner.query(`LOCK TABLE ${names} IN SHARE UPDATE EXCLUSIVE MODE`);
    // Tables that others refer to are first, as in transactions of requests. All of them together take the time of one.
    await limitLocks(runner, Math.floor(LOCK_TIMEOUT_MS / tables.length));
    await runner.query(`LOCK TABLE ${names} IN ACCESS EXCLUSIVE MODE`);
    await work();
  });
}

/** Runs work in a transaction of its own, again and again while it does not get its locks in time. */
async function patiently(runner: QueryRunner, giveUpAtMs: number, work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await runner.startTransaction();
    try {
      await work();
      await runner.commitTransaction();
      return;
    } catch (error) {
      await runner.rollbackTransaction();
      const { code } = error as { code?: string };
      if ((code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) || performance.now() > giveUpAtMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(MAX_PAUSE_MS, LOCK_TIMEOUT_MS * attempt)));
    }
  }
}

const limitLocks = (runner: QueryRunner, ms: number): Promise<unknown> =>
  runner.query(`SET LOCAL lock_timeout = ${ms}`);

const isPartitioned = async (runner: QueryRunner, { name }: GrowingTable): Promise<boolean> =>
  ((await runner.query("SELECT 1 FROM pg_class WHERE oid = $1::regclass AND relkind = 'p'", [name])) as unknown[])
    .length > 0;

const constraintsOf = async (runner: QueryRunner, table: string): Promise<{ conname: string }[]> =>
  (await runner.query("SELECT conname FROM pg_constraint WHERE conrelid = $1::regclass AND contype IN ('c', 'f')", [
    table,
  ])) as { conname: string }[];

const indexesOf = async (runner: QueryRunner, table: string): Promise<{ indexname: string }[]> =>
  (await runner.query('SELECT indexrelid::regclass::text AS indexname FROM pg_index WHERE indrelid = $1::regclass', [
    table,
  ])) as { indexname: string }[];

const firstIdFrom = ({ prefix }: GrowingTable, at: Date): string => {
  let text = '';
  for (let ms = at.getTime(), left = 10; left > 0; left--, ms = Math.floor(ms / 32)) text = ALPHABET[ms % 32]! + text;
  return prefix + text;
};

const timeOf = (id: string): number =>
  Array.from(id.slice(0, 10)).reduce((sum, letter) => sum * 32 + ALPHABET.indexOf(letter), 0);

const monthAfterNextOf = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 2, 1));
