import type { Page } from 'playwright-core';
import { inChromium } from '../support/browser.js';
import { eventually } from '../support/test-app.js';
import { deployedSite, leaveBrowser, LOOKS, sql, Visit } from './support.js';

jest.setTimeout(300_000);

const CHAT = '**/api/v1/ai/chat/completions';

/** Types a message and sends it. */
async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text);
  await page.keyboard.press('Enter');
}

describe('models in the web app', () => {
  afterAll(leaveBrowser);

  inChromium('are found, ordered and led to the playground, and without a router the screen says how', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    await visit.open(`/app/${org}`);
    await page.getByRole('link', { name: 'AI', exact: true }).click();
    const rows = page.getByRole('region', { name: 'Models' }).getByRole('row');
    await page.getByText('7 models').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('oak image');
    await page.getByText('2 of 7 models').waitFor();
    expect(await rows.nth(1).innerText()).toMatch(/Acorn: Oak Large[^]*\$3\.00[^]*\$15\.00[^]*200K[^]*Offered/);
    await page.getByLabel('Order').selectOption('price');
    await eventually(async () => (await rows.nth(1).innerText()).includes('Oak Mini'), 'the cheapest comes first');
    expect(new URL(page.url()).search).toBe('?q=oak+image&order=price');
    await page.getByLabel('Find a model').fill('nothing like it');
    await page.getByRole('heading', { name: 'No model matches' }).waitFor();
    await page.getByLabel('Find a model').fill('endless');
    await rows.nth(1).getByText('Until ').waitFor();
    await rows.nth(1).getByRole('link', { name: 'Try' }).click();
    await visit.arrivesAt(`/app/${org}/ai/playground`);
    await eventually(
      async () => (await page.getByLabel('Model').inputValue()) === 'test/endless',
      'the model is chosen',
    );

    await page.route('**/api/v1/ai/models', (route) => route.fulfill({ json: { object: 'list', data: [] } }));
    for (const path of ['ai', 'ai/playground']) {
      await visit.open(`/app/${org}/${path}`);
      await page.getByRole('heading', { name: 'No models yet' }).waitFor();
      await page.getByText('MODEL_ROUTER_URL=').waitFor();
      expect(await page.getByRole('link', { name: 'How models are set up' }).getAttribute('href')).toBe('/docs/ai');
    }
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('answer on the playground with their cost, in a conversation that outlives a reload', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    const bodies: any[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/ai/chat/completions')) bodies.push(request.postDataJSON());
    });
    await visit.open(`/app/${org}/ai/playground?model=acorn/oak-mini`);
    await page.getByLabel('System prompt').fill('Be brief.');
    await page.getByLabel('Temperature').fill('0.5');
    await page.getByLabel('Max tokens').fill('500');
    await ask(page, 'How do I debounce?');
    const log = page.getByRole('log');
    await log.getByText('Use it for a field').waitFor();
    for (const { name, width, colorScheme, rules } of LOOKS) {
      await page.setViewportSize({ width, height: 860 });
      await page.emulateMedia({ colorScheme });
      expect({ name, axe: await visit.axe(rules) }).toEqual({ name, axe: [] });
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect({ name, overflow }).toEqual({ name, overflow: 0 });
    }
    await page.setViewportSize({ width: LOOKS[0].width, height: 860 });
    // Code is a block with its button, and the stars are gone.
    await log.getByRole('button', { name: /^Copy: Code/ }).waitFor();
    expect(await log.locator('b').innerText()).toBe('debounced');
    await log.getByText(/^acorn\/oak-mini · \d+ tokens in, \d+ out/).waitFor();
    await page.getByText(/This conversation has cost \$0\.0001\d\./).waitFor();
    expect(bodies[0]).toMatchObject({
      model: 'acorn/oak-mini',
      temperature: 0.5,
      max_tokens: 500,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'How do I debounce?' },
      ],
    });

    await page.reload();
    await log.getByText('Use it for a field').waitFor();
    await ask(page, 'Thank you.');
    await log
      .getByText(/^acorn\/oak-mini · \d+ tokens in/)
      .nth(1)
      .waitFor();
    expect(bodies[1].messages.map(({ role }: { role: string }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);

    await page.getByRole('button', { name: 'Code', exact: true }).click();
    const code = page.getByRole('dialog').getByRole('group', { name: /code$/ });
    for (const [language, start] of [
      ['curl', `curl ${new URL(page.url()).origin}/api/v1/ai/chat/completions`],
      ['Python', 'import os'],
      ['JavaScript', 'import OpenAI from'],
    ] as const) {
      await page.getByRole('dialog').getByRole('button', { name: language, exact: true }).click();
      const text = await code.innerText();
      expect(text.startsWith(start)).toBe(true);
      expect(text).toContain('acorn/oak-mini');
      expect(text).toContain('Be brief.');
    }
    await page.keyboard.press('Escape');

    // The cost leads to the generation, which is in the list too.
    await log
      .getByRole('link', { name: /^\$0\.000/ })
      .first()
      .click();
    await visit.arrivesAt(/\/ai\/generations\/gen_/);
    await page.getByText('Chat completion, streamed').waitFor();
    await page.getByText('This app').waitFor();
    await page.getByRole('link', { name: 'Generations' }).click();
    await page
      .getByRole('row', { name: /acorn\/oak-mini/ })
      .nth(1)
      .waitFor();
    await page.getByLabel('Outcome').selectOption({ label: 'Failed' });
    await page.getByRole('heading', { name: 'No generation matches' }).waitFor();
    expect(new URL(page.url()).search).toBe('?outcome=failed');
    await page.getByLabel('Outcome').selectOption('');
    await page.getByLabel('Model').selectOption('acorn/oak-mini');
    await page
      .getByRole('row', { name: /acorn\/oak-mini/ })
      .nth(1)
      .waitFor();
    await page.getByRole('link', { name: 'Playground' }).click();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('Ask a model').waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('stop on request, and a message is never lost, whatever refuses or breaks it', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    await visit.open(`/app/${org}/ai/playground?model=test/endless`);
    const log = page.getByRole('log');
    await ask(page, 'Count for ever.');
    await log.getByText('One two three').waitFor();
    await page.getByLabel('Your message').fill('Typed meanwhile');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).click();
    await log.getByText(/^Stopped · test\/endless/).waitFor();
    expect(await page.getByLabel('Your message').inputValue()).toBe('Typed meanwhile');
    // What was generated is charged, and is shown as soon as it is known.
    await log.getByRole('link', { name: /^\$0\.0/ }).waitFor();

    await page.getByLabel('Model').selectOption('test/breaks');
    await ask(page, 'Break it.');
    await log.getByText('One two', { exact: true }).waitFor();
    const alert = log.getByRole('alert');
    await alert.getByText('broke off its answer').waitFor();
    await page.getByLabel('Model').selectOption('acorn/oak-mini');
    await log.getByRole('button', { name: 'Send it again' }).click();
    await log.getByText('Use it for a field').waitFor();
    await alert.waitFor({ state: 'detached' });

    const refusals = [
      [402, 'insufficient_credits_error', 'credits_exhausted', ['See plans and prices', 'What to do']],
      [429, 'rate_limit_error', 'token_rate_limit_exceeded', ['See plans and prices', 'What to do']],
      [503, 'api_error', 'model_unavailable', ['What to do']],
    ] as const;
    for (const [status, type, code, links] of refusals) {
      await page.route(CHAT, (route) => {
        const origin = new URL(page.url()).origin;
        const urls = { docs_url: `${origin}/docs/errors/${code}`, upgrade_url: `${origin}/pricing` };
        const headers = { 'retry-after': '120' };
        const error = { type, code, status, message: `Refused with ${status}.`, ...urls };
        return route.fulfill({ status, headers, json: { error, meta: { request_id: 'req_x' } } });
      });
      await ask(page, `Refused ${status}`);
      await alert.getByText(`Refused with ${status}.`).waitFor();
      for (const name of links) expect(await alert.getByRole('link', { name }).getAttribute('target')).toBe('_blank');
      await page.unroute(CHAT);
      await log.getByRole('button', { name: 'Edit the message' }).click();
      expect(await page.getByLabel('Your message').inputValue()).toBe(`Refused ${status}`);
      await alert.waitFor({ state: 'detached' });
    }
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('say to viewers what their role does not allow, and show the prices', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    await sql(
      `UPDATE memberships SET role = 'viewer' FROM organizations
        WHERE organizations.id = memberships.org_id AND organizations.slug = $1`,
      [org],
    );
    await visit.open(`/app/${org}/ai`);
    await page.getByText('$3.00').waitFor();
    for (const [tab, title] of [
      ['Playground', 'Your role does not allow calling models'],
      ['Generations', 'Your role does not allow calling models'],
      ['Budgets', 'Only owners and admins see costs and invoices'],
      ['Providers', 'Only owners and admins see costs and invoices'],
    ] as const) {
      await page.getByRole('navigation', { name: 'AI' }).getByRole('link', { name: tab }).click();
      await page.getByRole('heading', { name: title }).waitFor();
    }
    expect(await page.getByRole('button', { name: 'New budget' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Policy' }).click();
    await page.getByLabel('Models that may be called').waitFor();
    expect(await page.getByLabel('Models that may be called').isDisabled()).toBe(true);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('show their usage by model, and budgets are set, changed and removed', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    await deployedSite(visit);
    await visit.open(`/app/${org}/ai/usage`);
    await page.getByRole('heading', { name: 'No model was called' }).waitFor();
    await visit.call('POST', 'ai/chat/completions', {
      model: 'acorn/oak-large',
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 50,
    });
    await eventually(
      async () => (await visit.call('GET', 'billing/usage?group_by=model')).length > 0,
      'the tokens are in the usage',
      60_000,
    );
    await page.reload();
    await page.getByRole('row', { name: /^acorn\/oak-large .* 4 100 % \$0\.000/ }).waitFor();
    await page.locator('figure canvas').waitFor();

    await page.getByRole('link', { name: 'Budgets' }).click();
    await page.getByRole('heading', { name: 'No budgets yet' }).waitFor();
    await page.getByRole('button', { name: 'New budget' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('For').selectOption({ label: 'Storefront' });
    await dialog.getByLabel('US dollars').fill('much');
    await dialog.getByRole('button', { name: 'Set the budget' }).click();
    await dialog.locator('[name=limit][aria-invalid=true]').waitFor();
    await dialog.getByLabel('US dollars').fill('25');
    await dialog.getByRole('button', { name: 'Set the budget' }).click();
    const row = page.getByRole('list', { name: 'Budgets' }).getByRole('listitem');
    await row.getByText('$0.00 of $25.00 a month').waitFor();
    await row.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Period').selectOption('day');
    await dialog.getByRole('button', { name: 'Change the budget' }).click();
    await row.getByText('$0.00 of $25.00 a day').waitFor();
    await row.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove the budget' }).click();
    await page.getByRole('heading', { name: 'No budgets yet' }).waitFor();
    expect(await visit.call('GET', 'billing/budgets')).toEqual([]);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium(
    'are paid with keys of the organization, and called by its policy, which may keep their texts',
    async () => {
      const visit = await Visit.begin();
      const { page } = visit;
      const org = await visit.signUp();
      await visit.open(`/app/${org}/ai/providers`);
      const row = page.getByRole('list', { name: 'Providers' }).getByRole('listitem').filter({ hasText: 'OpenRouter' });
      await row.getByText('Paid with credits').waitFor();
      await row.getByRole('button', { name: 'Set a key' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Key of the provider').fill('short');
      await dialog.getByRole('button', { name: 'Set the key' }).click();
      await dialog.locator('[name=api_key][aria-invalid=true]').waitFor();
      expect(await dialog.getByLabel('Key of the provider').inputValue()).toBe('short');
      await dialog.getByLabel('Key of the provider').fill('sk-or-of-our-own-account-x7Qz');
      await dialog.getByRole('button', { name: 'Set the key' }).click();
      await row.getByText('x7Qz').waitFor();
      await row.getByRole('button', { name: 'Remove' }).click();
      await dialog.getByRole('button', { name: 'Remove the key' }).click();
      await row.getByText('Paid with credits').waitFor();

      await page.getByRole('link', { name: 'Policy' }).click();
      await page.getByLabel('Models that may be called').selectOption('Only these');
      await page.getByLabel('Patterns of their IDs').fill('acorn/*');
      await page.getByLabel('Days that prompts and answers are kept').fill('7');
      await page.getByLabel('Only providers that keep no texts').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Return to the defaults' }).waitFor();
      expect(await visit.call('GET', 'ai/policy')).toMatchObject({
        allowed_models: ['acorn/*'],
        denied_models: [],
        zero_retention_only: true,
        blocks_secrets: true,
        retention_days: 7,
      });

      await visit.open(`/app/${org}/ai/playground?model=test/endless`);
      await ask(page, 'Is it allowed?');
      await page.getByRole('alert').getByText('does not allow the model test/endless').waitFor();
      await page.getByLabel('Model').selectOption('acorn/oak-mini');
      await page.getByRole('button', { name: 'Send it again' }).click();
      const log = page.getByRole('log');
      await log.getByRole('link', { name: /^\$0\.000/ }).click();
      await page.getByRole('button', { name: 'Show the request and the answer' }).click();
      await page.getByRole('region', { name: 'Request' }).getByText('Is it allowed?').waitFor();
      await page.getByRole('region', { name: 'Answer' }).getByText('Use it for a field').waitFor();
      for (const { name, width, colorScheme, rules } of LOOKS) {
        await page.setViewportSize({ width, height: 860 });
        await page.emulateMedia({ colorScheme });
        expect({ name, axe: await visit.axe(rules) }).toEqual({ name, axe: [] });
      }

      // Fewer days delete texts, which is asked first. A policy of no model stays one.
      await visit.call('PUT', 'ai/policy', { allowed_models: [], retention_days: 7 });
      await visit.open(`/app/${org}/ai/policy`);
      expect(await page.getByLabel('Models that may be called').inputValue()).toBe('none');
      await page.getByLabel('Days that prompts and answers are kept').fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('button', { name: 'Save and delete them' }).waitFor();
      expect(await visit.call('GET', 'ai/policy')).toMatchObject({ retention_days: 7 });
      await dialog.getByRole('button', { name: 'Save and delete them' }).click();
      await page.getByText('Saved.').waitFor();
      expect(await visit.call('GET', 'ai/policy')).toMatchObject({ allowed_models: [], retention_days: null });

      await page.getByRole('button', { name: 'Return to the defaults' }).click();
      await dialog.getByRole('button', { name: 'Return to the defaults' }).click();
      await eventually(
        async () => (await page.getByLabel('Models that may be called').inputValue()) === 'all',
        'the form shows the defaults',
      );
      expect(visit.faults).toEqual([]);
      await visit.end();
    },
  );
});
