import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Route } from 'playwright-core';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { inChromium } from '../support/browser.js';
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
  /** The button that opens it. */
  readonly opener?: string;
  readonly typed: Readonly<Record<string, string>>;
}

const NEW_PASSWORD = 'another-long-enough-secret';

/** All forms that something is typed into; below the organization or the project where they begin so. */
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
    let failure = FAILURES[0]!;
    await page.route('**/api/v1/**', (route) =>
      route.request().method() === 'GET' ? route.continue() : failure.answer(route),
    );

    const lost: string[] = [];
    for (const [index, { path, label, opener, typed }] of FORMS.entries()) {
      const below = `/app/${slug}${path.replace(/^:project/, `/projects/${project}`)}`;
      await visit.open(path.startsWith('/app/') ? path : below);
      if (opener !== undefined) await page.getByRole('button', { name: opener }).first().click();
      const form = page.getByRole('form', { name: label, exact: true });
      for (const [field, text] of Object.entries(typed)) await fillIn(form, field, text);
      if (label === 'New project') await form.getByText('Nothing yet').click();
      // Each form meets another failure, and the first of them all.
      for (failure of index === 0 ? FAILURES : [FAILURES[index % FAILURES.length]!]) {
        await form.locator('button[type=submit]').click();
        await form.getByRole('alert').getByText(failure.said).waitFor();
        for (const [field, text] of Object.entries(typed)) {
          const found = await form.getByLabel(field, { exact: true }).inputValue();
          if (found !== text) lost.push(`${label}, ${field}, ${failure.said}: ${found}`);
        }
      }
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
