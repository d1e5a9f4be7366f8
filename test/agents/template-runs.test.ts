import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { formatUsd, parseUsd } from '../../src/platform/money/nano-dollars.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { FakeModelRouter, type ScriptedAnswer } from '../support/fake-model-router.js';
import { GitClient } from '../support/git-client.js';
import { HttpPeer } from '../support/http-peer.js';
import { mailsOf } from '../support/mailbox.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { eventually, TestApp } from '../support/test-app.js';

const MODEL = 'fake/small';
const SOON_MS = 30_000;

const settings: NodeJS.ProcessEnv = {};
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const peer = new HttpPeer();
const git = new GitClient();
const app = new TestApp(settings, 'all');
const make = new Make(app);
let ada: Person;
let key: string;

beforeAll(async () => {
  await peer.listen();
  settings['AGENT_TRUSTED_HOSTS'] = peer.host;
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
});

/** Each template has an organization of its own, so that all that it has cost is what the template has cost. */
beforeEach(async () => {
  ada = await make.person({ plan: 'pro' });
  key = await make.key(ada, { scopes: ['*'] });
});

afterAll(async () => {
  await app.stop();
  peer.close();
  git.remove();
});

const fetched = async (path: string): Promise<any> =>
  expectStatus(200, await app.fetch(`/api/v1/${path}`, as(key))).body.data;
const posted = async (path: string, body: object, status = 201): Promise<any> =>
  expectStatus(status, await app.post(`/api/v1/${path}`, body, as(key))).body.data;
const pushed = async (file: string): Promise<string> => {
  const definition = parse(readFileSync(join(PROJECT_ROOT, 'templates/agents', file), 'utf8')) as object;
  return (await posted('agents', { ...definition, models: [MODEL] })).id as string;
};
const runUntil = async (id: string, isSo: (run: any) => boolean, what: string): Promise<any> => {
  let run: any;
  await eventually(async () => isSo((run = await fetched(`runs/${id}`))), what, SOON_MS);
  return run;
};
const over = (id: string): Promise<any> =>
  runUntil(id, ({ ended_at: endedAt }) => endedAt !== undefined, 'the run is over');
const call = (name: string, input: object): ScriptedAnswer => ({
  text: 'Next.',
  tools: [{ name, arguments: JSON.stringify(input) }],
});

/** What the runs have cost is the sum of their usage, and stands on the upcoming invoice. */
async function expectBilled(runs: readonly { readonly cost: string }[]): Promise<void> {
  const cost = runs.reduce((sum, run) => sum + parseUsd(run.cost), 0n);
  expect(cost).toBeGreaterThan(0n);
  const [generations] = await make.sql<{ usage: string }>(
    'SELECT coalesce(sum(cost_nano), 0)::text AS usage FROM generations WHERE org_id = $1',
    [ada.organization.id],
  );
  expect(BigInt(generations!.usage)).toBe(cost);
  const usageOfMonth = (await fetched('billing/usage')) as { meter: string; cost: string }[];
  const tokens = usageOfMonth.filter(({ meter }) => meter === 'ai_tokens');
  expect(formatUsd(tokens.reduce((sum, row) => sum + parseUsd(row.cost), 0n))).toBe(formatUsd(cost));
  const upcoming = await fetched('billing/invoices/upcoming');
  expect(JSON.stringify(upcoming)).toContain('ai_tokens');
}

it('repo-doctor reads a failed deploy, and commits its fix once a person has approved it', async () => {
  const repository = await posted('repositories', { name: uniqueName('shop') });
  const url = `${app.url.replace('//', `//any:${key}@`)}/git/${ada.organization.id}/${repository.name as string}.git`;
  const clone = uniqueName('clone');
  await git.run(['clone', '--quiet', url, clone]);
  await git.run(['checkout', '--quiet', '-B', 'main'], { cwd: clone });
  await git.run(['-c', 'alias.do=!printf "module shop\\n" > go.mod', 'do'], { cwd: clone });
  await git.run(['add', '--all'], { cwd: clone });
  await git.run(['commit', '--quiet', '--message', 'Go'], { cwd: clone });
  await git.run(['push', '--quiet', 'origin', 'main'], { cwd: clone });
  const head = (await git.run(['rev-parse', 'HEAD'], { cwd: clone })).trim();
  const project = await posted('projects', { name: uniqueName('shop'), repo_url: repository.repo_url });
  const deploy = await posted(`projects/${project.id as string}/deploys`, { branch: 'main' }, 202);
  await eventually(
    async () => (await fetched(`deploys/${deploy.id as string}`)).state === 'error',
    'the deploy has failed',
    SOON_MS,
  );

  const found = { cause: 'The project is a Go module.', evidence: 'go.mod', fixed: true, next_step: 'Merge it.' };
  router.next(
    call('list_deploys', { project: project.slug }),
    call('deploy_logs', { deploy_id: deploy.id }),
    call('read_files', { repository: repository.name, paths: ['go.mod'] }),
    call('write_files', {
      repository: repository.name,
      branch: 'doctor/static',
      message: 'Serve a page',
      files: [
        { path: 'index.html', content: '<h1>Shop</h1>' },
        { path: 'go.mod', content: null },
      ],
      expected_head: head,
    }),
    { text: JSON.stringify(found) },
  );
  const agent = await pushed('repo-doctor/agent.yml');
  const { id } = await posted(`agents/${agent}/runs`, { input: `Why did ${deploy.id as string} fail?` }, 202);
  await runUntil(id as string, ({ waiting_for: wait }) => wait === 'approval', 'the run waits for approval');
  const [approval] = (await fetched(`approvals?run_id=${id as string}`)) as any[];
  expect(approval).toMatchObject({ tool: 'write_files', reason: 'rule' });
  await posted(`approvals/${approval.id as string}`, { decision: 'approve' }, 200);
  const run = await over(id as string);
  expect(run).toMatchObject({ state: 'succeeded', output: found, tainted: true });
  await git.run(['fetch', '--quiet', 'origin', 'doctor/static'], { cwd: clone });
  expect(await git.run(['ls-tree', '--name-only', 'FETCH_HEAD'], { cwd: clone })).toBe('index.html');
  await expectBilled([run]);
}, 120_000);

it('daily-report is started by its schedule, and mails the usage to the person who made it', async () => {
  await make.sql('UPDATE users SET email_verified_at = now() WHERE id = $1', [ada.user.id]);
  const agent = await pushed('daily-report/agent.yml');
  const schedule = await posted('schedules', {
    agent_id: agent,
    name: 'Morning',
    cron: '0 9 * * *',
    time_zone: 'Europe/Berlin',
    input: 'Report on yesterday.',
  });
  router.next(
    call('usage_summary', { period: 'month' }),
    call('send_mail', { to: 'starter', subject: 'Daily report', text: 'Nothing unusual.' }),
    call('remember', { text: 'Nothing unusual.', tags: ['report'] }),
    { text: 'Sent.' },
  );
  await posted(`schedules/${schedule.id as string}/trigger`, {}, 202);
  let runs: any[] = [];
  await eventually(
    async () => (runs = (await fetched(`runs?schedule_id=${schedule.id as string}`)) as any[]).length === 1,
    'the schedule has fired',
    SOON_MS,
  );
  const run = await over(runs[0].id as string);
  expect(run).toMatchObject({ state: 'succeeded', trigger: 'schedule', output: 'Sent.' });
  const steps = (await fetched(`runs/${run.id as string}/steps`)) as any[];
  expect(steps.flatMap((step) => step.tool_calls).map(({ tool, state }) => [tool, state])).toEqual([
    ['usage_summary', 'succeeded'],
    ['send_mail', 'succeeded'],
    ['remember', 'succeeded'],
  ]);
  const mails = mailsOf(app).filter(({ to, subject }) => to === ada.user.email && subject.includes('Daily report'));
  expect(mails).toHaveLength(1);
  expect(mails[0]!.text).toContain('Nothing unusual.');
  await expectBilled([run]);
}, 90_000);

it('swarm-research splits a question, reads sources, and reports', async () => {
  peer.handlers.set('/source', (response) => response.end('Water boils at 100 degrees.'));
  const lead = await pushed('swarm-research/agent.yml');
  const worker = await pushed('swarm-research/worker.yml');
  const report = { answer: 'At 100 degrees.', findings: [], open_questions: [] };
  const nextOf = ([{ content: system }, ...messages]: any[]): ScriptedAnswer => {
    const answers = messages.filter(({ role }) => role === 'assistant').length;
    const last = String(messages.at(-1).content);
    if (system.startsWith('You lead research')) {
      if (answers === 0) return call('board_add', { tasks: [{ title: 'When does water boil?' }] });
      return last.includes('"done":1') || answers > 8 ? { text: JSON.stringify(report) } : call('board_wait', {});
    }
    if (last.includes('100 degrees')) return call('board_complete', { result: 'At 100 degrees.' });
    if (answers === 0) return call('board_claim', {});
    return answers === 1 ? call('http_get', { url: peer.at('/source') }) : { text: 'No task is left.' };
  };
  router.decide = ({ messages }) => nextOf(messages as any[]);
  const swarm = await posted('swarms', {
    name: 'Boiling',
    goal: 'When does water boil?',
    coordinator: { agent_id: lead },
    workers: [{ agent_id: worker, count: 1 }],
    budget: { cost: '2' },
  });
  let seen: any;
  await eventually(
    async () => (seen = await fetched(`swarms/${swarm.id as string}`)).state !== 'running',
    'the swarm is over',
    SOON_MS,
  );
  expect(seen).toMatchObject({ state: 'succeeded', output: report, tasks: { done: 1 } });
  let runs: any[] = [];
  await eventually(
    async () => (runs = (await fetched(`runs?swarm_id=${swarm.id as string}`)) as any[]).every((run) => run.ended_at),
    'all runs have ended',
    SOON_MS,
  );
  expect(peer.seen.map(({ path }) => path)).toContain('/source');
  await expectBilled(runs);
}, 90_000);
