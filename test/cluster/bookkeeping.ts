import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/embedded-servers.js';
import { type Answer, Caller, describeAnswer, isSuccess, isTypedRefusal } from './caller.js';
import type { Cluster } from './cluster.js';

const RETRY_MS = 100;
const LOOK_EVERY_MS = 500;
/** A job of a dead worker is found when its lock has ended, and at the next look for such jobs. */
const FOUND_AGAIN_WITHIN_MS = 90_000;

/** An organization that is notified of each entry of its audit log: each write makes one job with one effect. */
export interface NotifiedOrganization {
  readonly caller: Caller;
  readonly endpointId: string;
}

/** Several, as the changes of one organization wait for each other. An address may sign up ten times at once. */
export async function notifiedOrganizations(cluster: Cluster): Promise<NotifiedOrganization[]> {
  const notified: NotifiedOrganization[] = [];
  for (const name of ['babbage', 'curie', 'darwin', 'euler']) {
    const caller = await Caller.signUp(cluster.url, name);
    // Nothing answers there, so that each message stays what the job has written.
    const { id } = await caller.expect('POST', `/orgs/${caller.orgId}/webhook-endpoints`, {
      url: 'https://hooks.example.invalid/audit',
      types: ['audit_log.recorded'],
    });
    notified.push({ caller, endpointId: id as string });
  }
  return notified;
}

/**
 * Ends the messages that wait, every second: nothing takes them, and an endpoint may have 5,000 of them. What a job has
 * written stays. Returns what stops this.
 */
export function endMessages(cluster: Cluster, notified: readonly NotifiedOrganization[]): () => void {
  const timer = setInterval(() => {
    void cluster
      .sql(`UPDATE webhook_deliveries SET state = 'failed' WHERE state = 'pending' AND endpoint_id = ANY ($1)`, [
        notified.map(({ endpointId }) => endpointId),
      ])
      // PostgreSQL may be stopped just now.
      .catch(() => undefined);
  }, 1_000);
  return () => {
    clearInterval(timer);
  };
}

/**
 * Work of which the database must have each piece once: writes whose audit entries are jobs of the outbox, and
 * executions that a worker takes from Redis.
 */
export class Bookkeeping {
  /** Names of keys whose creation was acknowledged, and executions that were accepted. */
  readonly writes: string[] = [];
  /** When the writes were acknowledged. */
  readonly acknowledgedAtMs: number[] = [];
  readonly executions: string[] = [];
  /** Answers that are neither a success nor a promise that nothing was done. */
  readonly wrong: string[] = [];
  refusals = 0;

  private readonly run = `b${Date.now().toString(36)}`;

  constructor(
    private readonly cluster: Cluster,
    private readonly notified: readonly NotifiedOrganization[],
  ) {}

  /**
   * Creates a key, and repeats that with the same idempotency key until it is acknowledged, as clients do. Returns the
   * first answer.
   */
  async write(index: number): Promise<Answer> {
    const { caller } = this.notified[index % this.notified.length]!;
    const name = `${this.run}-${index}`;
    let first: Answer | undefined;
    for (;;) {
      const answer = await caller.call('POST', '/keys', { name }, name);
      first ??= answer;
      if (isSuccess(answer)) {
        this.writes.push(name);
        this.acknowledgedAtMs.push(performance.now());
        return first;
      }
      this.refused('a write', answer);
      await sleep(RETRY_MS);
    }
  }

  /** Asks once for an execution that does not depend on its caller. */
  async execute(index: number, code = 'console.log(1)', timeoutMs = 10_000): Promise<Answer> {
    const { caller } = this.notified[index % this.notified.length]!;
    const body = { language: 'javascript', code, wait: false, timeout_ms: timeoutMs };
    const answer = await caller.call('POST', '/sandbox/executions', body);
    if (isSuccess(answer)) this.executions.push((JSON.parse(answer.text) as { data: { id: string } }).data.id);
    else this.refused('an execution', answer);
    return answer;
  }

  /** Waits until all of it should have happened, and returns what was lost and what happened twice. */
  async account(): Promise<{ lost: string[]; doubled: string[]; lostWithWorker: number }> {
    await until(
      'all jobs have run',
      async () => {
        await sleep(LOOK_EVERY_MS);
        return (await this.openJobs()) === 0 && (await this.openExecutions()) === 0;
      },
      FOUND_AGAIN_WITHIN_MS,
    ).catch(() => undefined);
    const keys = await this.cluster.sql<{ name: string; n: number }>(
      'SELECT name, count(*)::int AS n FROM api_keys WHERE name LIKE $1 GROUP BY 1',
      [`${this.run}-%`],
    );
    const made = new Map(keys.map(({ name, n }) => [name, n]));
    const executions = await this.executionsWithMoney();
    return {
      lost: [
        ...this.writes.filter((name) => !made.has(name)).map((name) => `the key ${name}`),
        ...(await this.untoldKeys()).map((name) => `the job of the key ${name}`),
        ...this.executions.filter((id) => !executions.has(id)).map((id) => `the execution ${id}`),
        ...[...executions].flatMap(([id, { status }]) =>
          ['queued', 'running', 'cancelled'].includes(status) ? [`the execution ${id}, which is ${status}`] : [],
        ),
      ],
      doubled: [
        ...keys.filter(({ n }) => n > 1).map(({ name }) => `the key ${name}`),
        ...(await this.toldTwice()).map((id) => `the job of ${id}`),
        ...[...executions].flatMap(([id, facts]) => faultsOf(facts).map((fault) => `the execution ${id}: ${fault}`)),
      ],
      lostWithWorker: [...executions.values()].filter(({ status }) => status === 'lost').length,
    };
  }

  private refused(what: string, answer: Answer): void {
    this.refusals++;
    // A retry may meet the first attempt that still waits for the database.
    if (isTypedRefusal(answer) || answer.text.includes('idempotency_in_progress')) return;
    this.wrong.push(describeAnswer(what, answer));
  }

  /** Keys of this run whose entry in the audit log no job has made a delivery of. */
  private async untoldKeys(): Promise<string[]> {
    const rows = await this.cluster.sql<{ name: string }>(
      `SELECT name FROM api_keys k WHERE name LIKE $1 AND NOT EXISTS (
         SELECT 1 FROM audit_log a JOIN webhook_deliveries d ON d.event_id = a.id
         WHERE a.target_id = k.id AND a.action = 'key.created' AND d.endpoint_id = ANY ($2))`,
      [`${this.run}-%`, this.notified.map(({ endpointId }) => endpointId)],
    );
    return rows.map(({ name }) => name);
  }

  private async toldTwice(): Promise<string[]> {
    const rows = await this.cluster.sql<{ id: string }>(
      `SELECT event_id AS id FROM webhook_deliveries WHERE endpoint_id = ANY ($1)
       GROUP BY endpoint_id, event_id HAVING count(*) > 1`,
      [this.notified.map(({ endpointId }) => endpointId)],
    );
    return rows.map(({ id }) => id);
  }

  private async openJobs(): Promise<number> {
    const [row] = await this.cluster.sql<{ n: number }>('SELECT count(*)::int AS n FROM outbox_messages');
    return row!.n + (await this.untoldKeys()).length;
  }

  private async openExecutions(): Promise<number> {
    const [row] = await this.cluster.sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM sandbox_executions e
       WHERE e.id = ANY ($1) AND (e.status IN ('queued', 'running') OR NOT EXISTS (
         SELECT 1 FROM org_events WHERE type = 'execution.finished' AND data ->> 'execution_id' = e.id))`,
      [this.executions],
    );
    return row!.n;
  }

  private async executionsWithMoney(): Promise<Map<string, ExecutionFacts>> {
    const rows = await this.cluster.sql<ExecutionFacts & { id: string }>(
      `SELECT e.id, e.status, h.state AS hold,
         (SELECT count(*)::int FROM usage_events u WHERE u.org_id = e.org_id AND u.source_id = e.id) AS usages,
         (SELECT count(*)::int FROM org_events o
          WHERE o.type = 'execution.finished' AND o.data ->> 'execution_id' = e.id) AS events
       FROM sandbox_executions e LEFT JOIN holds h ON h.key = 'sandbox:' || e.id WHERE e.id = ANY ($1)`,
      [this.executions],
    );
    return new Map(rows.map(({ id, ...facts }) => [id, facts]));
  }
}

interface ExecutionFacts {
  readonly status: string;
  readonly hold: string | null;
  readonly usages: number;
  readonly events: number;
}

/** What has run is paid for once, and what was lost is not. */
function faultsOf({ status, hold, usages, events }: ExecutionFacts): string[] {
  const isPaid = status !== 'lost' && status !== 'cancelled';
  return [
    ...(hold === (isPaid ? 'settled' : 'released') ? [] : [`it is ${status}, and its hold ${hold}`]),
    ...(usages === (isPaid ? 1 : 0) ? [] : [`it is ${status}, and its usage was recorded ${usages} times`]),
    ...(events === 1 ? [] : [`its end was reported ${events} times`]),
  ];
}
