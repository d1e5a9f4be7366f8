import { createHash } from 'node:crypto';
import { WorkBudgetsService } from '../../../src/modules/credits/work-budgets.service.js';
import { InsufficientScopes } from '../../../src/modules/auth/access.errors.js';
import { parseUsd } from '../../../src/platform/money/nano-dollars.js';
import { Make, type Org, type Person, uniqueName } from '../../support/make.js';
import { eventually, useApp, WITH_SANDBOX } from '../../support/test-app.js';
import { ToolCaller } from '../../support/tool-caller.js';

const RANDOM = { language: 'javascript', code: 'console.log(Math.random())' };
const hashOf = (effect: string): string => createHash('sha256').update(effect).digest('hex');

describe('run_code', () => {
  const app = useApp({ ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '2' });
  const make = new Make(app);
  let person: Person;
  let org: Org;
  let caller: ToolCaller;
  beforeAll(async () => {
    person = await make.person();
    org = await make.org(person, { plan: 'pro' });
    caller = new ToolCaller(app, org, person);
  });
  const rows = (effect: string): Promise<Record<string, any>[]> =>
    make.sql('SELECT * FROM sandbox_executions WHERE org_id = $1 AND effect_key = $2', [org.id, hashOf(effect)]);
  const usageOf = async (executionId: string): Promise<number> =>
    (await make.sql('SELECT 1 FROM usage_events WHERE source_id = $1', [executionId])).length;

  it('returns the output, the exit code and the cost', async () => {
    const files = [{ path: 'lib/name.txt', content: 'Ada' }];
    const code = 'import sys\nprint("hello", open("lib/name.txt").read())\nprint("no", file=sys.stderr)\nsys.exit(3)';
    const output = await caller.output('run_code', { language: 'python', code, files });
    expect(output).toMatchObject({ status: 'failed', exit_code: 3, stdout: 'hello Ada\n', stderr: 'no\n' });
    expect(output.truncated).toEqual({ stdout: false, stderr: false });
    expect(parseUsd(output.cost as string)).toBeGreaterThan(0n);
    expect(await usageOf(output.execution_id as string)).toBe(1);
    const [tool] = await caller.tools('run_code');
    expect(tool).toMatchObject({ effect: 'keyed', taints: false, scopes: ['sandbox:execute'] });
  });

  it('keeps of the output what a model is shown of a result, and says that there was more', async () => {
    const output = await caller.output('run_code', {
      language: 'javascript',
      code: 'console.log("a".repeat(100_000)); console.error("e".repeat(100_000))',
    });
    expect(output.truncated).toEqual({ stdout: true, stderr: true });
    expect(output.stderr).toHaveLength(16_384);
    expect(output.stdout.length).toBeGreaterThan(45_000);
    expect(JSON.stringify(output).length).toBeLessThan(65_536);
  });

  it('returns the value of the last expression and what was kept, within what a model is shown', async () => {
    const code = `
for n in range(50): open("/artifacts/" + "n" * 200 + f"{n:02}", "w").write("kept")
print("o" * 500_000)
"r" * 500_000`;
    const asked = { language: 'python', code, rich_results: true, artifacts: true };
    const output = await caller.output('run_code', asked);
    expect(JSON.stringify(output).length).toBeLessThan(65_536);
    expect(output).toMatchObject({ status: 'succeeded', truncated: { stdout: true, stderr: false } });
    expect(output.results).toEqual([{ type: 'text/plain', data: expect.stringMatching(/^'r+$/), truncated: true }]);
    expect(output.artifacts[0]).toEqual({
      id: expect.stringMatching(/^art_/),
      path: `${'n'.repeat(200)}00`,
      size_bytes: 4,
      type: expect.any(String),
    });
    expect(output.artifacts.length + output.artifacts_not_shown).toBe(50);
    expect(await caller.output('run_code', { language: 'python', code: '1' })).not.toHaveProperty('results');
  });

  it('runs and costs once for a key, however often it is called', async () => {
    const effect = uniqueName('effect');
    const outputs = await Promise.all(Array.from({ length: 5 }, () => caller.output('run_code', RANDOM, { effect })));
    outputs.push(await caller.output('run_code', RANDOM, { effect }));
    expect(new Set(outputs.map((output) => JSON.stringify(output))).size).toBe(1);
    expect(await rows(effect)).toHaveLength(1);
    expect(await usageOf(outputs[0].execution_id as string)).toBe(1);
    const other = await caller.output('run_code', RANDOM);
    expect(other.stdout).not.toBe(outputs[0].stdout);
  });

  it('runs to its end when the wait is aborted, and returns the result to the next call', async () => {
    const effect = uniqueName('effect');
    const work = { language: 'python', code: 'import random, time\ntime.sleep(1)\nprint(random.random())' };
    const leaving = new AbortController();
    const first = caller.call('run_code', work, { effect, signal: leaving.signal });
    await eventually(async () => (await rows(effect))[0]?.['status'] === 'running', 'the code runs');
    leaving.abort(new Error('The worker stops.'));
    await expect(first).rejects.toThrow();
    expect(await caller.output('run_code', work, { effect })).toMatchObject({ status: 'succeeded', exit_code: 0 });
    expect(await rows(effect)).toHaveLength(1);
  });

  const insert = async (effect: string, status: string, startedAt: string | null): Promise<void> => {
    await make.sql(
      `INSERT INTO sandbox_executions
         (id, org_id, user_id, language, status, limits, effect_key, started_at, created_at, gives_up_at, finished_at)
       VALUES ($1, $2, $3, 'python', $4, '{}', $5, $6,
         now() - interval '2 minutes', now() - interval '1 minute', now())`,
      [`exe_${uniqueName('x')}`, org.id, person.user.id, status, hashOf(effect), startedAt],
    );
  };

  it('begins again what never left the queue, and nothing that may have run', async () => {
    const [unstarted, lost, cancelled] = [uniqueName('a'), uniqueName('b'), uniqueName('c')];
    await insert(unstarted, 'cancelled', null);
    expect(await caller.output('run_code', RANDOM, { effect: unstarted })).toMatchObject({ exit_code: 0 });
    await insert(lost, 'lost', new Date().toISOString());
    await insert(cancelled, 'cancelled', new Date().toISOString());
    expect(await caller.call('run_code', RANDOM, { effect: lost })).toMatchObject({ code: 'execution_lost' });
    expect(await caller.call('run_code', RANDOM, { effect: cancelled })).toMatchObject({ code: 'execution_cancelled' });
    expect((await rows(lost)).map(({ status }) => status as string)).toEqual(['lost']);
  });

  it('draws from the budgets of its run, and does not begin beyond one', async () => {
    const effect = uniqueName('effect');
    const [small, large] = [`run:${uniqueName('small')}`, `run:${uniqueName('large')}`];
    await app.get(WorkBudgetsService).addAll([
      { orgId: org.id, subject: small, window: 'total', limitNano: 1n },
      { orgId: org.id, subject: large, window: 'total', limitNano: parseUsd('1') },
    ]);
    const beyond = caller.call('run_code', RANDOM, { effect, budgetSubjects: [large, small] });
    await expect(beyond).rejects.toMatchObject({ code: 'budget_exceeded' });
    expect(await rows(effect)).toEqual([]);
    const { cost } = await caller.output('run_code', RANDOM, { effect, budgetSubjects: [large] });
    const spent = (await app.get(WorkBudgetsService).spendingOf(org.id, [large])).get(large)!;
    expect(spent.postedNano).toBe(parseUsd(cost as string));
  });

  it('refuses what the plan, the permissions or the sandbox do not allow', async () => {
    const refused = async (input: object, options = {}): Promise<unknown> =>
      caller.call('run_code', { ...RANDOM, ...input }, options).catch((error: unknown) => error);
    expect(await refused({}, { scopes: ['ai:invoke'] })).toBeInstanceOf(InsufficientScopes);
    for (const input of [
      { timeout_ms: 3_600_000 },
      { files: [{ path: '../x', content: '' }] },
      {
        files: [
          { path: 'a', content: '' },
          { path: 'a/b', content: '' },
        ],
      },
      { files: [{ path: 'a', content: 'x'.repeat(300_000) }] },
      { code: 'x'.repeat(200_000) },
      { rich_results: true },
      { package_set: 'python-data' },
      { packages: { pip: ['six==1.16.0'] } },
      { packages: { npm: ['left-pad'] } },
      { packages: { npm: ['left-pad@1.3.0', 'left-pad@1.3.1'] } },
      { packages: { npm: [] } },
      { packages: {} },
      { packages: { npm: ['left-pad@1.3.0'] }, package_set: 'node-common' },
    ])
      expect(await refused(input)).toMatchObject({ status: 400, code: 'invalid_request' });
  });
});
