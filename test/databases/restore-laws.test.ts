import { setTimeout as sleep } from 'node:timers/promises';
import { Databases } from '../support/databases.js';
import { Dice } from '../support/hostile-bytes.js';
import { onThisMachine } from '../support/patience.js';
import { sampledCount } from '../support/sampled.js';
import { eventually, useApp } from '../support/test-app.js';
import { DatabaseData } from './database-data.js';

jest.setTimeout(onThisMachine(120_000));

/** Each restore takes about two seconds on a machine that does nothing else. */
const MOMENTS = sampledCount(80);
/** One less than a host works off at a time. */
const AT_ONCE = 3;
const WRITERS = 3;
const PHASES = 5;
const PHASE_MS = 250;

const app = useApp({}, 'all');
const databases = new Databases(app);
const data = new DatabaseData(app, databases);
const seed = Math.floor(Math.random() * 2 ** 31);
const dice = new Dice(seed);

/** A transaction that was acknowledged. It was committed after its stamp and before its acknowledgement. */
interface Commit {
  readonly id: string;
  /** In ms of the epoch, read from the clock of PostgreSQL. */
  readonly stampMs: number;
  readonly acknowledgedMs: number;
}

const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::float8';

beforeAll(() => databases.begin());

it(`restores to ${MOMENTS} random moments exactly what was committed before each (seed ${seed})`, async () => {
  const { id } = await databases.ready();
  await data.query(
    id as string,
    'CREATE TABLE entries (id text PRIMARY KEY, stamp_ms float8); CREATE TABLE totals (writer int, entries int)',
  );
  await data.query(id as string, `INSERT INTO totals SELECT n, 0 FROM generate_series(0, ${WRITERS}) n`);
  await data.backedUp(id as string);
  const commits: Commit[] = [];
  const begun = Date.now();
  for (let phase = 0; phase < PHASES; phase++) {
    await written(id as string, phase, commits);
    // Whatever happens to a database between two writes.
    if (phase === 0) await data.backedUp(id as string);
    if (phase === 1) await data.sleep(id as string);
    if (phase === 2) await killed(id as string);
  }
  const ended = Date.now();
  await sleep(5);
  await data.query(id as string, 'DROP TABLE entries, totals');

  // Some are between two commits of the same writer, and all others are anywhere.
  const moments = new Set<number>();
  while (moments.size < MOMENTS)
    moments.add(
      moments.size % 2 === 0
        ? Math.ceil(dice.pick(commits).acknowledgedMs) + dice.below(2)
        : begun + dice.below(ended - begun + 1),
    );
  const waiting = [...moments];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
        await requireStateAt(id as string, at, commits);
    }),
  );
});

/** Kills the server, and waits until another one answers. */
async function killed(id: string): Promise<void> {
  await data.engine.kill(await data.clusterOf(id));
  const answers = (): Promise<boolean> =>
    data.query(id, 'SELECT 1').then(
      () => true,
      () => false,
    );
  await eventually(answers, 'the database is there again', 30_000);
}

/** Several writers, each with transactions that touch two tables, and one that stays open until the end. */
async function written(id: string, phase: number, commits: Commit[]): Promise<void> {
  const clusterId = await data.clusterOf(id);
  const write = async (writer: number, openMs: number, until: number): Promise<void> => {
    const client = await data.engine.client(clusterId);
    for (let number = 0; number === 0 || Date.now() < until; number++) {
      const entry = `${phase}/${writer}/${number}`;
      await client.query('BEGIN');
      const { rows } = await client.query<{ stamp_ms: number }>(
        `INSERT INTO entries VALUES ($1, ${NOW_MS}) RETURNING stamp_ms`,
        [entry],
      );
      await client.query('UPDATE totals SET entries = entries + 1 WHERE writer = $1', [writer]);
      if (openMs > 0) await sleep(openMs);
      // Some of what is written is taken back, and is at no moment there.
      if (dice.happens(0.1) && openMs === 0) {
        await client.query('ROLLBACK');
        continue;
      }
      await client.query('COMMIT');
      // The clock of Node.js leaves out parts of a millisecond.
      commits.push({ id: entry, stampMs: rows[0]!.stamp_ms, acknowledgedMs: Date.now() + 1 });
      await sleep(dice.below(8));
    }
    await client.end();
  };
  const until = Date.now() + PHASE_MS;
  await Promise.all([
    ...Array.from({ length: WRITERS }, (_, writer) => write(writer, 0, until)),
    write(WRITERS, PHASE_MS, 0),
  ]);
}

async function requireStateAt(id: string, atMs: number, commits: readonly Commit[]): Promise<void> {
  const restored = await data.restored(id, new Date(atMs));
  const found = (await data.query(restored.id as string, 'SELECT id FROM entries')).map((row) => row['id'] as string);
  const [total] = await data.query(restored.id as string, 'SELECT sum(entries)::int AS sum FROM totals');
  await data.sleep(restored.id as string);
  const there = new Set(found);
  const known = new Map(commits.map((commit) => [commit.id, commit]));
  expect({
    atMs,
    missing: commits.filter((commit) => commit.acknowledgedMs <= atMs && !there.has(commit.id)),
    later: found.filter((each) => (known.get(each)?.stampMs ?? Infinity) > atMs),
    // Transactions are there as a whole.
    sum: total!['sum'],
  }).toEqual({ atMs, missing: [], later: [], sum: found.length });
}
