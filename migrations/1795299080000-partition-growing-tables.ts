import type { MigrationInterface, QueryRunner } from 'typeorm';

interface GrowingTable {
  readonly name: string;
  /** The column whose ids begin with the time, and its prefix. */
  readonly key: string;
  readonly prefix: string;
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
    keys: [
      'CONSTRAINT run_events_pkey PRIMARY KEY (run_id, seq)',
      'CONSTRAINT run_events_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs (id) ON DELETE CASCADE',
    ],
    indexes: [],
  },
];

/** No caller waits longer for a lock of this migration. Then it lets them pass, and tries again. */
const LOCK_TIMEOUT_MS = 1_000;
const ATTEMPTS = 120;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Tables that grow get a partition for each month. The month of a row follows from its id, which begins with its time,
 * so that keys are as unique as before, and each statement of the previous release means what it meant.
 *
 * No row is moved: the table of until now becomes the partition of all that is older than the month after next, which a
 * constraint proves beforehand. The constraint is verified while others write, so each step commits by itself; each can
 * be repeated after an interruption.
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
        PRIMARY KEY (table_name, partition_name)
      )
    `);
    for (const table of TABLES) {
      if (await isPartitioned(runner, table)) continue;
      const month = await proveBound(runner, table);
      await briefly(runner, () => this.partition(runner, table, month));
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
    await runner.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
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
async function proveBound(runner: QueryRunner, table: GrowingTable): Promise<Date> {
  const { name, key, prefix } = table;
  const [found] = (await runner.query('SELECT pg_get_constraintdef(oid) AS is FROM pg_constraint WHERE conname = $1', [
    proofOf(table),
  ])) as { is: string }[];
  let month: Date;
  if (found === undefined) {
    const [{ last }] = (await runner.query(`SELECT max(${key}) AS last FROM ${name} WHERE ${key} LIKE $1`, [
      `${prefix}0%`,
    ])) as [{ last: string | null }];
    const latest = Math.max(Date.now(), last === null ? 0 : timeOf(last.slice(prefix.length)));
    month = monthAfterNextOf(new Date(latest));
    await briefly(runner, () =>
      runner.query(
        `ALTER TABLE ${name} ADD CONSTRAINT ${proofOf(table)} ` +
          `CHECK (${key} < '${firstIdFrom(table, month)}') NOT VALID`,
      ),
    );
  } else {
    month = new Date(timeOf(new RegExp(`'${prefix}([0-9a-z]{10})'`).exec(found.is)![1]!));
  }
  await runner.query(`ALTER TABLE ${name} VALIDATE CONSTRAINT ${proofOf(table)}`);
  return month;
}

/** Runs work in a transaction of its own that waits only briefly for locks, again and again. */
async function briefly(runner: QueryRunner, work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await runner.startTransaction();
    try {
      await runner.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await work();
      await runner.commitTransaction();
      return;
    } catch (error) {
      await runner.rollbackTransaction();
      const { code } = error as { code?: string };
      if ((code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOCK_TIMEOUT_MS));
    }
  }
}

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
