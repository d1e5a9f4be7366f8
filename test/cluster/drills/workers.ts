import { setTimeout as sleep } from 'node:timers/promises';
import { Bookkeeping } from '../bookkeeping.js';
import { type DrillResult, type Field, some } from '../drill.js';

const EXECUTION_EVERY = 25;
/** Writes that wait for their answers at once. */
const MOST_PENDING = 64;

/**
 * Workers are killed in turn, without a word, while jobs arrive: each must have its effect, and once. An execution runs
 * at most once, so that one whose worker died may be lost, and is then not paid for.
 */
export async function killedWorkers(
  { cluster, notified }: Field,
  { kills, jobs, perSecond }: { readonly kills: number; readonly jobs: number; readonly perSecond: number },
): Promise<DrillResult> {
  const books = new Bookkeeping(cluster, notified);
  const pending = new Set<Promise<unknown>>();
  let [count, killed] = [0, 0];
  const stopping = new AbortController();
  const goesOn = (): boolean => !stopping.signal.aborted && (books.writes.length < jobs || killed < kills);
  const add = async (): Promise<void> => {
    const fromMs = performance.now();
    while (goesOn()) {
      const due = Math.floor(((performance.now() - fromMs) / 1_000) * perSecond);
      while (count < due && pending.size < MOST_PENDING && goesOn()) {
        const index = count++;
        const work: Promise<unknown> = (
          index % EXECUTION_EVERY === 0 ? books.execute(index) : books.write(index)
        ).finally(() => pending.delete(work));
        pending.add(work);
      }
      await sleep(10);
    }
    await Promise.all(pending);
  };
  const kill = async (): Promise<void> => {
    // At least one of the others has work at that moment.
    await sleep(1_000);
    while (killed < kills) {
      const victim = cluster.processes.worker[killed % cluster.processes.worker.length]!;
      await victim.kill();
      killed++;
      await victim.start();
    }
  };
  const adding = add();
  try {
    await kill();
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
