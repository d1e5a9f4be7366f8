import { setTimeout as sleep } from 'node:timers/promises';
import { Bookkeeping } from '../bookkeeping.js';
import { type DrillResult, type Field, some } from '../drill.js';

const EXECUTION_EVERY = 25;
/** Writes that wait for their answers at once. */
const MOST_PENDING = 64;
/** Before the next one is killed. */
const AT_WORK_FOR_MS = 1_000;
const LOOK_EVERY_MS = 10;

/**
 * Workers are killed without a word, at most two of three at the same time, while jobs arrive: each job must have its
 * effect, and once. An execution runs at most once: one whose worker died may be lost, and is then not paid for.
 */
export async function killedWorkers(
  { cluster, notified }: Field,
  { kills, jobs, perSecond }: { readonly kills: number; readonly jobs: number; readonly perSecond: number },
): Promise<DrillResult> {
  const books = new Bookkeeping(cluster, notified);
  const pending = new Set<Promise<unknown>>();
  let [count, killed] = [0, 0];
  const stopping = new AbortController();
  const goesOn = (): boolean => !stopping.signal.aborted && books.writes.length < jobs;
  /** Jobs and kills keep pace, so that each kill meets as many jobs, however long a worker takes to start. */
  const dueJobs = (): number => Math.ceil((jobs * (killed + 1)) / kills);
  const areJobsBehind = (): boolean => !stopping.signal.aborted && books.writes.length < (jobs * (killed - 1)) / kills;
  const add = async (): Promise<void> => {
    let due = 0;
    while (goesOn()) {
      due = Math.min(due + (perSecond * LOOK_EVERY_MS) / 1_000, MOST_PENDING);
      while (due >= 1 && pending.size < MOST_PENDING && books.writes.length + pending.size < dueJobs()) {
        due--;
        const index = count++;
        const work: Promise<unknown> = (
          index % EXECUTION_EVERY === 0 ? books.execute(index) : books.write(index)
        ).finally(() => pending.delete(work));
        pending.add(work);
      }
      await sleep(LOOK_EVERY_MS);
    }
    await Promise.all(pending);
  };
  const workers = [...cluster.processes.worker];
  /** One of them always goes on, so that at least one has work when another is killed. */
  const kill = async (): Promise<void> => {
    while (killed < kills && !stopping.signal.aborted) {
      killed++;
      const victim = workers.shift()!;
      await victim.kill();
      await victim.start();
      workers.push(victim);
      await sleep(AT_WORK_FOR_MS);
      while (areJobsBehind()) await sleep(LOOK_EVERY_MS);
    }
  };
  const adding = add();
  try {
    await sleep(AT_WORK_FOR_MS);
    await Promise.all(workers.slice(1).map(kill));
  } catch (error) {
    stopping.abort();
    throw error;
  } finally {
    await adding;
  }
  const { lost, doubled, lostWithWorker } = await books.account();
  return {
    count: `${kills} kills, ${books.writes.length} jobs and ${books.executions.length} executions at ${perSecond}/s`,
    figures:
      `${lost.length} lost, ${doubled.length} doubled; ` +
      `${lostWithWorker} executions ended as \`lost\` with their worker and were not charged`,
    violations: some([
      ...books.wrong,
      ...lost.map((what) => `Lost: ${what}`),
      ...doubled.map((what) => `Doubled: ${what}`),
    ]),
  };
}
