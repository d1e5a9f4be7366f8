import type { EndedRun } from '../../src/modules/runs/new-run.js';
import { RunObservers } from '../../src/modules/runs/run-observers.js';
import { Database } from '../../src/platform/database/database.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from './make.js';
import { type Answer, eventually, type TestApp } from './test-app.js';

export const SCHEDULES = '/api/v1/schedules';

/** An owner with an agent, whose schedules a test creates and makes due. */
export class Scheduling {
  readonly make: Make;
  owner!: Person;
  key!: string;
  agentId!: string;

  constructor(readonly app: TestApp) {
    this.make = new Make(app);
  }

  async begin(plan: 'builder' | 'pro' | 'enterprise' = 'builder'): Promise<void> {
    this.owner = await this.make.person({ plan });
    this.key = await this.make.key(this.owner);
    this.agentId = await this.agent(this.key);
  }

  get orgId(): string {
    return this.owner.organization.id;
  }

  async agent(key: string): Promise<string> {
    const body = { name: uniqueName('agent'), instructions: 'Report.', models: ['fake/small'] };
    return expectStatus(201, await this.app.post('/api/v1/agents', body, as(key))).body.data.id as string;
  }

  create(body: object = {}, key = this.key): Promise<Answer> {
    const fields = { agent_id: this.agentId, name: 'Report', every_seconds: 3_600, input: 'Go.', ...body };
    return this.app.post(SCHEDULES, fields, as(key));
  }

  async created(body: object = {}): Promise<any> {
    return expectStatus(201, await this.create(body)).body.data;
  }

  async get(id: string): Promise<any> {
    return expectStatus(200, await this.app.fetch(`${SCHEDULES}/${id}`, as(this.key))).body.data;
  }

  act(id: string, action: string, key = this.key): Promise<Answer> {
    return this.app.call('POST', `${SCHEDULES}/${id}/${action}`, as(key));
  }

  change(id: string, body: object, key = this.key): Promise<Answer> {
    return send(this.app, ['PATCH', `${SCHEDULES}/${id}`], body, as(key));
  }

  /** Newest first. */
  async fires(id: string): Promise<any[]> {
    return expectStatus(200, await this.app.fetch(`${SCHEDULES}/${id}/fires?limit=100`, as(this.key))).body
      .data as any[];
  }

  /** Returns the states and reasons of fires, oldest first. */
  async outcomes(id: string): Promise<string[]> {
    return (await this.fires(id)).map(({ state, reason }) => [state, reason].filter(Boolean).join(' ')).reverse();
  }

  /** Moves a schedule of `every_seconds` back in time, so that its next time was this long ago, and fires it. */
  async due(id: string, lateMs = 1_000): Promise<void> {
    const before = (await this.fires(id)).length;
    await this.make.sql(
      `UPDATE schedules SET next_at = late.at, then_at = NULL, anchor_at = late.at, wake_at = late.at
       FROM (SELECT date_trunc('second', now()) - $2 * interval '1 millisecond' AS at) AS late WHERE id = $1`,
      [id, lateMs],
    );
    // The sweep of the process itself may be faster.
    await this.app.runSchedule('agent-schedules');
    await eventually(async () => (await this.fires(id)).length > before, 'the schedule has fired');
  }

  /** Ends a run as its worker would. */
  async end(scheduleId: string, runId: string, state: EndedRun['state']): Promise<void> {
    const [row] = await this.make.sql<{ org_id: string; agent_id: string }>('SELECT * FROM schedules WHERE id = $1', [
      scheduleId,
    ]);
    const run: EndedRun = {
      id: runId,
      orgId: row!.org_id,
      agentId: row!.agent_id,
      state,
      failureCode: state === 'failed' ? 'model_failed' : null,
      output: null,
      isTainted: false,
      parentRunId: null,
      swarmId: null,
      scheduleId,
    };
    await this.app.get(Database).transaction(() => this.app.get(RunObservers).ended(run));
  }
}

export const codeOf = ({ status, body }: Answer): [number, string] => [status, body?.error?.code];
