import { inChromium } from '../support/browser.js';
import { deployedSite, leaveBrowser, Visit } from './support.js';

jest.setTimeout(300_000);

const EVENTS = /\/api\/v1\/orgs\/[^/]+\/events$/;

const FIRST = JSON.stringify({
  seq: 1,
  id: 'evt_1',
  type: 'unknown.yet',
  created_at: '2026-01-01T00:00:00Z',
  data: {},
});

describe('what happens elsewhere', () => {
  afterAll(leaveBrowser);

  inChromium('shows by events without polling, and after the stream was cut', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    const asked: (string | undefined)[] = [];
    let isCut = true;
    await page.route(EVENTS, async (route) => {
      asked.push(route.request().headers()['last-event-id']);
      // The first answer breaks off after an event. Then the service is not reached, until it is again.
      if (asked.length === 1) await route.fulfill({ contentType: 'application/x-ndjson', body: `${FIRST}\n` });
      else if (isCut) await route.abort();
      else await route.continue();
    });
    const mark = page.getByText('Not live, reconnecting');
    await visit.open(`/app/${org}`);
    await page.getByRole('heading', { name: 'Your first project' }).waitFor();
    await mark.waitFor();
    isCut = false;
    await mark.waitFor({ state: 'hidden' });
    // It is taken up after the last event.
    expect(asked[0]).toBeUndefined();
    expect(asked.slice(1)).toEqual(asked.slice(1).map(() => '1'));

    // Nothing is unfinished on the screen, so that nothing but an event can bring the deploy there.
    await visit.call('POST', 'projects', { name: 'Quiet' });
    await page.reload();
    const card = page.getByRole('listitem').filter({ hasText: 'Storefront' });
    await page.getByText('Not deployed yet').waitFor();
    expect(await card.count()).toBe(0);
    await deployedSite(visit);
    await card.getByText('Ready').waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
