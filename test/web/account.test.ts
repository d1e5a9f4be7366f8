import { randomUUID } from 'node:crypto';
import { inChromium } from '../support/browser.js';
import { connectApp } from './connected-app.js';
import { expectAccessible, leaveBrowser, PASSWORD, Visit } from './support.js';

jest.setTimeout(300_000);

describe('an account in the web app', () => {
  afterAll(leaveBrowser);

  inChromium('is made, shows its first project, and signs out by keyboard and menu', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const username = `u${randomUUID().slice(0, 12)}`;

    // Who is not signed in is led to the sign-in, and from there on to the sign-up.
    await visit.open('/app/account');
    await visit.arrivesAt('/app/sign-in');
    await page.getByRole('link', { name: 'Sign up' }).click();
    await page.getByLabel('Username').fill('Not A Name');
    await page.getByLabel('Email').fill(`${username}@example.com`);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create the account' }).click();
    // The fault stands beside its field, and what was typed stays.
    await page.locator('[name=username][aria-invalid=true]').waitFor();
    await expect(page.getByLabel('Password').inputValue()).resolves.toBe(PASSWORD);
    await page.getByLabel('Username').fill(username);
    await page.keyboard.press('Enter');

    // Back where the person wanted to go; scripts see no credential.
    await visit.arrivesAt('/app/account');
    await page.getByText('This device').waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    const [cookie] = await visit.context.cookies();
    expect(cookie).toMatchObject({ name: 'svc_web', httpOnly: true, sameSite: 'Lax' });

    // The palette leads to the projects, which are empty and say how to begin.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('prjcts');
    await page.keyboard.press('Enter');
    await visit.arrivesAt(`/app/${username}`);
    await page.getByRole('heading', { name: 'Your first project' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor({ state: 'hidden' });
    // Together: a second after the first letter it counts no more.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('y')]);
    await visit.arrivesAt('/app/account');

    await page.getByRole('button', { name: 'Account and theme' }).last().click();
    await page.getByRole('menuitemradio', { name: 'Dark theme' }).click();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.getByRole('button', { name: 'Account and theme' }).last().click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await visit.arrivesAt('/app/sign-in');
    expect(await visit.context.cookies()).toEqual([]);
    await visit.open('/app');
    await visit.arrivesAt('/app/sign-in');
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('that was signed out elsewhere is led to sign in, and back to where it was', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const username = await visit.signUp();
    await visit.open('/app/account');
    await page.getByText('This device').waitFor();
    await visit.context.clearCookies();
    await page.reload();
    await visit.arrivesAt('/app/sign-in');
    await page.getByLabel('Username or email').fill(username);
    await page.getByLabel('Password').fill('something else');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await visit.arrivesAt('/app/account');

    // On a phone the row of places scrolls, and the open one is in view.
    await page.setViewportSize({ width: 390, height: 860 });
    await visit.open(`/app/${username}/settings`);
    const place = await page.locator('nav a[aria-current=page]').boundingBox();
    expect(place!.x + place!.width).toBeLessThanOrEqual(390);
    await visit.end();
  });

  inChromium('shows the apps that it connected, and ends them at their next call', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const username = await visit.signUp();
    await visit.open(`/app/${username}/connected-apps`);
    await page.getByRole('heading', { name: 'No connected apps yet' }).waitFor();
    await expectAccessible(visit, 'connectedApps-empty');

    const { id, slug } = await visit.call('POST', 'orgs', { name: `Team of ${username}` });
    const app = await connectApp(visit, 'Desk assistant', [slug]);
    expect(await app.listProjects(`?org=${id}`)).toMatch(/^200 (?![^]*org_access_denied)/);
    await visit.open(`/app/${slug}/connected-apps`);
    const own = page.getByRole('list', { name: 'Your apps' }).getByRole('listitem');
    const ofMembers = page.getByRole('list', { name: 'Apps of members' }).getByRole('listitem');
    await expect(own.textContent()).resolves.toMatch(
      new RegExp(`Desk assistant.*Read only.*127\\.0\\.0\\.1.*Team of ${username}.*Read projects`),
    );
    await expect(ofMembers.textContent()).resolves.toContain(username);
    await expectAccessible(visit, 'connectedApps-organization');

    // The organization ends its own part.
    await ofMembers.getByRole('button', { name: 'End access of Desk assistant' }).click();
    await page.getByRole('button', { name: 'End its access' }).click();
    await page.getByText('No member has connected an app to this organization.').waitFor();
    expect(await app.listProjects(`?org=${id}`)).toContain('org_access_denied');
    expect(await app.listProjects()).toMatch(/^200 (?![^]*"isError":true)/);

    await own.getByRole('button', { name: 'End access of Desk assistant' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await own.count()).toBe(1);
    await own.getByRole('button', { name: 'End access of Desk assistant' }).click();
    await page.getByRole('button', { name: 'End its access' }).click();
    await page.getByRole('heading', { name: 'No connected apps yet' }).waitFor();
    expect(await app.listProjects()).toMatch(/^401 [^]*revoked_api_key/);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
