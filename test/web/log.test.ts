import { inChromium } from '../support/browser.js';
import { deployedSite, leaveBrowser, serviceUrl, Visit } from './support.js';

jest.setTimeout(300_000);

const LINES = 20_000;

const linesOf = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) =>
    JSON.stringify({
      seq: from + index,
      text: `line ${from + index}`,
      stream: 'stdout',
      phase: 'build',
      time: '2026-11-22T10:00:00.000Z',
    }),
  ).join('\n') + '\n';

describe('the log of a deploy', () => {
  afterAll(leaveBrowser);

  inChromium('of 20,000 lines is cut off, taken up, searched, linked and followed', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    const { project, deploy } = await deployedSite(visit);
    const asked: (string | null)[] = [];
    const body = { contentType: 'application/x-ndjson' };
    // The first answer ends in the middle, as it does when a connection is lost.
    await page.route(`${serviceUrl()}/api/v1/deploys/${deploy}/logs*`, async (route) => {
      const after = await route.request().headerValue('last-event-id');
      asked.push(after);
      if (after === '0') await route.fulfill({ ...body, body: linesOf(1, 12_000) });
      else if (after === '12000') await route.fulfill({ ...body, body: linesOf(12_001, LINES) });
      // Still running: nothing follows the last line.
    });
    // The deploy is one that has not ended.
    await page.route(`${serviceUrl()}/api/v1/deploys/${deploy}`, async (route) => {
      const response = await route.fetch();
      const { data, meta } = await response.json();
      delete data.finished_at;
      await route.fulfill({ response, json: { data: { ...data, state: 'building' }, meta } });
    });
    await visit.open(`/app/${org}/projects/${project}/deploys/${deploy}`);
    await page.getByText('20,000 lines, live').waitFor();
    expect(asked.slice(0, 2)).toEqual(['0', '12000']);

    // The end is in view, and only what is in view is in the page.
    const log = page.getByRole('log');
    await page.locator('#L20000').waitFor();
    expect(await log.locator('[id^=L]').count()).toBeLessThan(200);
    const button = page.getByRole('button', { name: 'Follow the end' });
    expect(await button.count()).toBe(0);
    await log.hover();
    await page.mouse.wheel(0, -5_000);
    await button.waitFor();
    await button.click();
    await button.waitFor({ state: 'detached' });
    await page.locator('#L20000').waitFor();

    await page.getByLabel('Find in the log').fill('line 1234');
    await page.getByText('11 lines, live').waitFor();

    // A link to a line shows the line, and does not follow the end.
    await visit.open(`/app/${org}/projects/${project}`);
    await visit.open(`/app/${org}/projects/${project}/deploys/${deploy}#L120`);
    await page.getByText('20,000 lines, live').waitFor();
    await page.locator('#L120').waitFor();
    await button.waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
