import { AgentsService } from '../../src/modules/agents/agents.service.js';
import { PLANS } from '../../src/modules/plans/plan.js';
import { PlanLimitCounters } from '../../src/modules/plans/plan-limit-counters.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';

const PATH = '/api/v1/agents';
const DEFINITION = { instructions: 'Answer briefly.', models: ['openai/gpt-mini'] };

describe('the number of agents', () => {
  const app = useApp();
  const make = new Make(app);
  let owner: Person;
  let key: string;
  beforeEach(async () => {
    owner = await make.person();
    key = await make.key(owner);
  });

  /** Calls again while the limit of calls in a second is reached, which is not what this is about. */
  const patiently = async (call: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      const answer = await call();
      if (answer.status !== 429) return answer;
      await new Promise((resolve) => {
        setTimeout(resolve, Number(answer.headers.get('retry-after') ?? 1) * 1_000);
      });
    }
  };
  const create = (name = uniqueName('agent')): Promise<Answer> =>
    patiently(() => app.post(PATH, { name, ...DEFINITION }, as(key)));
  const state = (id: string, to: 'active' | 'paused'): Promise<Answer> =>
    send(app, ['PATCH', `${PATH}/${id}`], { state: to }, as(key));
  const agents = async (): Promise<any[]> =>
    expectStatus(200, await patiently(() => app.fetch(`${PATH}?limit=100`, as(key)))).body.data as any[];
  /** Oldest first, as a letter each: active, paused by a person, or by the plan. */
  const states = async (): Promise<string> =>
    (await agents())
      .reverse()
      .map(({ paused_because: because }) => (because === 'plan' ? 'l' : because === 'person' ? 'p' : 'a'))
      .join('');
  const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];

  it.each([
    ['free', 1],
    ['builder', 10],
  ] as const)('is exactly that of the plan %s after 100 racing creations', async (plan, limit) => {
    await make.plan(owner.organization.id, plan);
    const answers = await Promise.all(Array.from({ length: 100 }, () => create('Racer')));
    const refused = answers.filter(({ status }) => status !== 201);
    expect([answers.length - refused.length, (await agents()).length]).toEqual([limit, limit]);
    for (const answer of refused) expect(codeOf(answer)).toEqual([403, 'plan_limit_reached']);
    expect(refused[0]!.body.error.details).toEqual({ limit, plan });
  });

  it('has room again after a deletion, and not after a pause', async () => {
    const { id } = (await create()).body.data;
    await state(id, 'paused');
    expect(codeOf(await create())).toEqual([403, 'plan_limit_reached']);
    await app.call('DELETE', `${PATH}/${id}`, as(key));
    expect((await create()).status).toBe(201);
  });

  it('does not keep an organization from a smaller plan, which pauses the newest agents', async () => {
    await make.plan(owner.organization.id, 'builder');
    const ids: string[] = [];
    for (let index = 0; index < 4; index++) ids.push((await create()).body.data.id as string);
    await state(ids[0]!, 'paused');
    await make.plan(owner.organization.id, 'free');

    // Until they are paused, a run asks for itself.
    const service = app.get(AgentsService);
    const within = await Promise.all(
      ids.map(async (id) => service.isWithinPlan((await service.find(owner.organization.id, id))!)),
    );
    expect(within).toEqual([true, true, false, false]);

    await app.runSchedule('agents-beyond-plan');
    expect(await states()).toBe('pall');
    await app.runSchedule('agents-beyond-plan');
    expect(await states()).toBe('pall');

    // A person chooses which agent is active by pausing another one first.
    expect(codeOf(await state(ids[3]!, 'active'))).toEqual([403, 'plan_limit_reached']);
    await state(ids[1]!, 'paused');
    expect((await state(ids[3]!, 'active')).body.data.state).toBe('active');
    expect(await states()).toBe('ppla');

    await make.plan(owner.organization.id, 'builder');
    await app.runSchedule('agents-beyond-plan');
    expect(await states()).toBe('ppaa');
  });

  it('is no reason to refuse a smaller plan', async () => {
    const counters = app.get(PlanLimitCounters);
    await make.plan(owner.organization.id, 'builder');
    for (let index = 0; index < 3; index++) await create();
    expect(await counters.used('agents', owner.organization.id)).toBe(3);
    expect(await counters.exceeded(PLANS.free, owner.organization.id)).toEqual([]);
  });
});
