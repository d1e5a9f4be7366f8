import { text } from 'node:stream/consumers';
import { inChromium } from '../support/browser.js';
import { eventually } from '../support/test-app.js';
import { leaveBrowser, Visit } from './support.js';

jest.setTimeout(300_000);

describe('an organization in the web app', () => {
  afterAll(leaveBrowser);

  inChromium('limits how long new keys live', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const username = await visit.signUp();
    await visit.call('POST', 'keys', { name: 'older', kind: 'personal' });
    await visit.open(`/app/${username}/settings`);
    const field = page.getByLabel('Longest lifetime of new keys, in days');
    await field.fill('30');
    await page.getByRole('button', { name: 'Save the limit' }).click();
    const hasLimit = async (days?: number): Promise<boolean> =>
      (await visit.call('GET', `orgs/${username}`)).key_lifetime_days === days;
    await eventually(() => hasLimit(30), 'the limit is saved');

    await visit.open(`/app/${username}/keys`);
    await page.getByRole('row').filter({ hasText: 'older' }).getByText('Lives longer than allowed').waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New key' });
    await dialog.getByText('The organization limits how long keys live.').waitFor();
    const choices = await dialog.getByLabel('Ends').locator('option').allTextContents();
    expect(choices).toEqual(['In a week', 'In 30 days']);
    await dialog.getByLabel('Name').fill('limited');
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'I have it' }).click();
    const [key] = await visit.call('GET', 'keys');
    expect(Date.parse(key.expires_at as string) - Date.parse(key.created_at as string)).toBe(30 * 86_400_000);

    await visit.open(`/app/${username}/settings`);
    await expect(field.inputValue()).resolves.toBe('30');
    await field.fill('');
    await page.getByRole('button', { name: 'Save the limit' }).click();
    await eventually(() => hasLimit(), 'the limit is removed');
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('downloads its audit log, all of it or a period', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const username = await visit.signUp();
    await visit.open(`/app/${username}/audit`);
    const download = async (from?: string): Promise<string[]> => {
      await page.getByRole('button', { name: 'Download' }).click();
      const dialog = page.getByRole('dialog', { name: 'Download the audit log' });
      if (from !== undefined) await dialog.getByLabel('From').fill(from);
      const arriving = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Download' }).click();
      const file = await arriving;
      expect(file.suggestedFilename()).toBe(`audit-log-${username}.ndjson`);
      return (await text(await file.createReadStream())).split('\n').filter((line) => line !== '');
    };
    const lines = await download();
    expect(lines.map((line) => (JSON.parse(line) as { action: string }).action)).toContain('person.signed_up');
    expect(await download('2099-01-01')).toEqual([]);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
