import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NAMESPACE, render } from './helm.js';

interface Series {
  readonly series: string;
  readonly values: string;
}

/** A series of one process. Each of them measures the same queues. */
const at = (pod: string, name: string, labels: string, value: number): Series => ({
  series: `${name}{job="service-platform",namespace="${NAMESPACE}",pod="${pod}"${labels}}`,
  values: `${value}x3`,
});

const queue = (pod: string, name: string, state: string, value: number): Series =>
  at(pod, 'queue_jobs', `,queue="${name}",state="${state}"`, value);

describe('the queries by which KEDA scales workers, asked of a real Prometheus', () => {
  const directory = mkdtempSync(join(tmpdir(), 'queries-'));
  const triggers: any[] = render('keda').find(({ kind }) => kind === 'ScaledObject')!.spec.triggers;

  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  /** @throws {Error} with what Prometheus answers, if it is something else than one series with this value. */
  function expectValue(trigger: string, series: readonly Series[], value: number): void {
    const { query } = triggers.find(({ name }) => name === trigger).metadata;
    const file = join(directory, 'test.yml');
    const promql_expr_test = [{ expr: query, eval_time: '1m', exp_samples: [{ labels: '{}', value }] }];
    // YAML takes JSON as it is.
    writeFileSync(file, JSON.stringify({ tests: [{ interval: '1m', input_series: series, promql_expr_test }] }));
    execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8', timeout: 30_000 });
  }

  it('count waiting and running sandbox runs once, however many processes measure them', () => {
    const pods = ['api-0', 'api-1', 'worker-0'];
    const series = pods.flatMap((pod) => [
      queue(pod, 'sandbox', 'waiting', 7),
      queue(pod, 'sandbox', 'active', 4),
      queue(pod, 'sandbox-packages', 'waiting', 1),
      queue(pod, 'sandbox', 'failed', 90),
      queue(pod, 'auth-mail', 'waiting', 500),
    ]);
    // A process that has measured a moment before counts less, and nothing is added twice.
    expectValue('sandbox-runs', [...series, queue('worker-1', 'sandbox', 'waiting', 5)], 7 + 4 + 1);
  });

  it('count deploys that wait in the database and those that are built', () => {
    const series = ['api-0', 'worker-0'].flatMap((pod) => [
      at(pod, 'deploys_waiting', '', 5),
      queue(pod, 'deploys', 'active', 2),
      queue(pod, 'deploys', 'waiting', 1),
    ]);
    expectValue('deploys', series, 7);
  });

  it('count runs of agents that are queued or driven, and not those that wait', () => {
    const series = ['api-0', 'worker-0'].flatMap((pod) =>
      Object.entries({ queued: 30, running: 40, waiting: 1000 }).map(([state, value]) =>
        at(pod, 'agent_runs', `,state="${state}"`, value),
      ),
    );
    expectValue('agent-runs', series, 70);
  });

  it('take the oldest job of any queue', () => {
    const series = [
      at('api-0', 'queue_oldest_waiting_seconds', ',queue="deploys"', 3),
      at('api-1', 'queue_oldest_waiting_seconds', ',queue="org-events"', 45),
    ];
    expectValue('oldest-job', series, 45);
  });

  it('are 0, and not nothing, without a measurement, and see no other release', () => {
    for (const { name } of triggers) expectValue(name as string, [], 0);
    const elsewhere = {
      series: queue('api-0', 'sandbox', 'waiting', 9).series.replace(NAMESPACE, 'other'),
      values: '9x3',
    };
    expectValue('sandbox-runs', [elsewhere], 0);
  });
});
