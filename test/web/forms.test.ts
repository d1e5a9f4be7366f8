import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Route } from 'playwright-core';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { inChromium } from '../support/browser.js';
import { ResourceAnswers } from './resource-answers.js';
import { leaveBrowser, PASSWORD, subscribe, Visit } from './support.js';

jest.setTimeout(300_000);

const SOURCES = join(PROJECT_ROOT, 'web/src');

interface Failure {
  /** What the form says then. */
  readonly said: string;
  readonly answer: (route: Route) => Promise<void>;
}

/** What a call can end with, without having done anything. */
const FAILURES: readonly Failure[] = [
  refusal(400, 'validation_error', 'invalid_request'),
  refusal(409, 'conflict_error', 'already_exists'),
  refusal(402, 'insufficient_credits_error', 'credits_exhausted'),
  refusal(429, 'rate_limit_error', 'daily_limit_exceeded'),
  refusal(401, 'auth_error', 'invalid_session'),
  { said: 'The service cannot be reached.', answer: (route) => route.abort() },
];

interface FormUnderTest {
  readonly path: string;
  readonly label: string;
  /** The buttons that open it, one after the other. */
  readonly opener?: string | readonly string[];
  /** What is typed or chosen, by the labels. `:project` and `:agent` stand for their ids. */
  readonly typed: Readonly<Record<string, string>>;
}

const NEW_PASSWORD = 'another-long-enough-secret';

/** An attachment of something that is attached to nothing yet. */
const ATTACHMENT = {
  label: 'Attachment',
  opener: 'Attach to a project',
  typed: { Project: ':project', 'Prefix of the variables': 'SHOP' },
} as const;

/** The databases and buckets are those of `ResourceAnswers`. */
const FORMS_OF_RESOURCES: readonly FormUnderTest[] = [
  {
    path: '/databases',
    label: 'New database',
    opener: 'New database',
    typed: { Name: 'orders', Project: ':project' },
  },
  {
    path: '/databases/db_shop',
    label: 'New credential',
    opener: 'Create a connection URL',
    typed: { Access: 'reader', Name: 'Laptop' },
  },
  {
    path: '/databases/db_try',
    ...ATTACHMENT,
    typed: { ...ATTACHMENT.typed, 'Previews use': 'none', Access: 'reader' },
  },
  { path: '/databases/db_try', label: 'Name and project', typed: { Name: 'store', Project: ':project' } },
  {
    path: '/databases/db_shop',
    label: 'Delete shop?',
    opener: 'Delete the database',
    typed: { 'Type shop to go on': 'shop' },
  },
  {
    path: '/databases/db_shop/credentials',
    label: 'New credential',
    opener: 'New credential',
    typed: { Access: 'reader', Name: 'Laptop' },
  },
  {
    path: '/databases/db_shop/credentials',
    label: 'Rotate',
    opener: 'Rotate Laptop of Ada',
    typed: { 'The old one': '3600' },
  },
  {
    path: '/databases/db_shop/backups',
    label: 'Restore',
    opener: 'Restore this moment',
    typed: { Name: 'before' },
  },
  { path: '/databases/db_shop/branches', label: 'Swap', opener: 'Choose a database', typed: { With: 'db_old' } },
  { path: '/databases/db_shop/branches', label: 'New branch', opener: 'New branch', typed: { Name: 'next' } },
  { path: '/storage', label: 'New bucket', opener: 'New bucket', typed: { Name: 'media', Project: ':project' } },
  {
    path: '/storage/access-keys',
    label: 'New access key',
    opener: 'New access key',
    typed: { Name: 'CI', Access: 'read', Ends: '7' },
  },
  {
    path: '/storage/bkt_photos',
    label: 'Link',
    opener: ['readme.txt', 'Copy a link'],
    typed: { 'A signed link works for': '900' },
  },
  { path: '/storage/bkt_site/settings', ...ATTACHMENT, typed: { ...ATTACHMENT.typed, Access: 'read' } },
  {
    path: '/storage/bkt_photos/settings',
    label: 'Other origins',
    typed: { Origins: 'https://a.example.com', 'Allowed headers': 'x-a', 'Kept for seconds': '60' },
  },
  {
    path: '/storage/bkt_photos/settings',
    label: 'Bucket',
    typed: { Name: 'pictures', Project: ':project', 'Delete objects after days': '30' },
  },
  {
    path: '/storage/bkt_photos/settings',
    label: 'Make photos public?',
    opener: 'Make it public',
    typed: { 'Type photos to go on': 'photos' },
  },
  {
    path: '/storage/bkt_photos/settings',
    label: 'Delete photos?',
    opener: 'Delete the bucket',
    typed: { 'Type photos to go on': 'photos' },
  },
];

const FORMS_OF_AGENTS: readonly FormUnderTest[] = [
  {
    path: ':agent',
    label: 'Start a run',
    opener: 'Start a run',
    typed: { Input: 'Help.', 'Highest cost in USD': '0.5' },
  },
  { path: ':agent/definition', label: 'Definition', typed: { Instructions: 'Help more.', 'Cost in USD': '0.7' } },
  { path: ':agent/memory', label: 'Memory', opener: 'New memory', typed: { Text: 'It is closed.', Tags: 'shop' } },
  { path: ':agent/secrets', label: 'Secret', opener: 'New secret', typed: { Name: 'TOKEN', Value: 'a-value' } },
  { path: ':agent/settings', label: 'Name', typed: { Name: 'Second helper', Description: 'Helps.' } },
  {
    path: '/schedules',
    label: 'Schedule',
    opener: 'New schedule',
    typed: { Name: 'Report', Agent: ':agent', Input: 'Report.', Cron: '0 5 * * *', 'Time zone': 'UTC' },
  },
  {
    path: '/swarms',
    label: 'New swarm',
    opener: 'New swarm',
    typed: { Name: 'Research', Goal: 'Compare.', Coordinator: ':agent', Workers: ':agent', 'How many': '3' },
  },
];

/** All forms that something is typed into; below the organization, the project or the agent where they begin so. */
const FORMS: readonly FormUnderTest[] = [
  { path: '/projects/new', label: 'New project', typed: { Name: 'Shop' } },
  { path: '/repositories', label: 'New repository', opener: 'New repository', typed: { Name: 'shop' } },
  { path: '/sandbox', label: 'Program', typed: { 'Time limit': '5000' } },
  {
    path: '/webhooks',
    label: 'New endpoint',
    opener: 'New endpoint',
    typed: { Address: 'https://hooks.example.com/', Description: 'Chat' },
  },
  {
    path: '/agents/new',
    label: 'New agent',
    typed: { Name: 'Helper', Instructions: 'Help.', Model: 'acorn/oak-mini', 'Cost in USD': '0.5' },
  },
  { path: '/keys', label: 'New key', opener: 'New key', typed: { Name: 'CI', Ends: '7' } },
  { path: '/settings', label: 'Organization', typed: { Name: 'Acme Shops' } },
  { path: '/billing', label: 'Spend cap', typed: { 'US dollars a month': '12.5' } },
  { path: '/members', label: 'Invite a member', opener: 'Invite', typed: { Email: 'eve@example.com', Role: 'admin' } },
  { path: ':project/crons', label: 'New cron', opener: 'New cron', typed: { Path: '/tick', 'Time zone': 'UTC' } },
  { path: ':project/settings', label: 'Name', typed: { Name: 'Store', Slug: 'store' } },
  { path: ':project/settings', label: 'Repository', typed: { 'Production branch': 'release' } },
  {
    path: ':project/settings/variables',
    label: 'Variable',
    opener: 'Add a variable',
    typed: { Name: 'TOKEN', Value: 'a\nb' },
  },
  {
    path: ':project/settings/variables',
    label: 'A .env file',
    opener: 'Paste a .env file',
    typed: { 'Content of the file': 'ONE=1\nTWO=2' },
  },
  { path: ':project/settings/domains', label: 'Add a domain', typed: { Domain: 'shop.example.com' } },
  { path: ':project/settings/protection', label: 'Deploy protection', typed: { 'The production site': 'members' } },
  {
    path: ':project/settings/hooks',
    label: 'New hook',
    opener: 'New hook',
    typed: { Name: 'Content', Branch: 'next' },
  },
  { path: '/app/account/new-organization', label: 'New organization', typed: { Name: 'Acme', Slug: 'acme-two' } },
  {
    path: '/app/account',
    label: 'Change the password',
    typed: { 'Current password': 'the-old-secret', 'New password': NEW_PASSWORD },
  },
  { path: '/app/reset-password', label: 'Reset your password', typed: { Email: 'ada@example.com' } },
  { path: '/app/sign-in', label: 'Sign in', typed: { 'Username or email': 'ada', Password: NEW_PASSWORD } },
  {
    path: '/app/sign-up',
    label: 'Create an account',
    typed: { Username: 'ada', Email: 'ada@example.com', Password: NEW_PASSWORD },
  },
  {
    path: '/app/reset-password#token=svc_mail_unknown',
    label: 'Choose a new password',
    typed: { 'New password': NEW_PASSWORD },
  },
  ...FORMS_OF_RESOURCES,
  ...FORMS_OF_AGENTS,
];

describe('a form of the web app', () => {
  afterAll(leaveBrowser);

  it('is always the one of web/src/ui, which keeps what was typed', () => {
    const others = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.tsx') && name !== 'ui/form.tsx')
      .filter((name) => /<form\b/.test(readFileSync(join(SOURCES, name), 'utf8')));
    expect(others).toEqual([]);
  });

  inChromium('keeps what was typed when the service refuses it or is not reached', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const username = await visit.signUp();
    const { slug } = await visit.call('POST', 'orgs', { name: 'Acme', slug: `${username}-acme` });
    await subscribe(slug);
    // What a session may do is known for a moment. A new one knows of the plan.
    await visit.call('POST', 'auth/sign-in', { login: username, password: PASSWORD });
    const { id: project } = await visit.call('POST', 'projects', { name: 'Shop' }, { 'x-service-org': slug });
    const agent = await visit.call(
      'POST',
      'agents',
      { name: 'Helper', instructions: 'Help.', models: ['test/agent'] },
      { 'x-service-org': slug },
    );
    await new ResourceAnswers(project).answer(page);
    let failure: Failure | undefined;
    await page.route('**/api/v1/**', (route) =>
      failure === undefined || route.request().method() === 'GET' ? route.fallback() : failure.answer(route),
    );

    const lost: string[] = [];
    const withIds = (text: string): string => text.replace(/^:project$/, project).replace(/^:agent$/, agent.id);
    for (const [index, { path, label, opener, typed }] of FORMS.entries()) {
      const below = path.replace(/^:project/, `/projects/${project}`).replace(/^:agent/, `/agents/${agent.id}`);
      await visit.open(path.startsWith('/app/') ? path : `/app/${slug}${below}`);
      for (const each of [opener ?? []].flat()) await page.getByRole('button', { name: each }).first().click();
      const form = page.getByRole('form', { name: label, exact: true });
      for (const [field, text] of Object.entries(typed)) await fillIn(form, field, withIds(text));
      if (label === 'New project') await form.getByText('Nothing yet').click();
      // Each form meets another failure, and the first of them all.
      for (const each of index === 0 ? FAILURES : [FAILURES[index % FAILURES.length]!]) {
        failure = each;
        await form.locator('button[type=submit]').click();
        await form.getByRole('alert').getByText(each.said).waitFor();
        for (const [field, text] of Object.entries(typed)) {
          const found = await form.getByLabel(field, { exact: true }).inputValue();
          if (found !== withIds(text)) lost.push(`${label}, ${field}, ${each.said}: ${found}`);
        }
      }
      failure = undefined;
    }
    expect(lost).toEqual([]);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});

async function fillIn(form: Locator, field: string, text: string): Promise<void> {
  const found = form.getByLabel(field, { exact: true });
  await found.waitFor();
  // A text field with a list of suggestions is called a combobox, too.
  const isChoice = (await found.and(form.locator('select')).count()) === 1;
  await (isChoice ? found.selectOption(text) : found.fill(text));
}

function refusal(status: number, type: string, code: string): Failure {
  const said = `Refused with ${status}.`;
  const body = { error: { type, code, status, message: said }, meta: { request_id: 'req_test' } };
  const headers = status === 429 ? { 'retry-after': '7200' } : {};
  return { said, answer: (route) => route.fulfill({ status, headers, json: body }) };
}
