import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { inChromium } from '../support/browser.js';
import { deployedSite, leaveBrowser, sql, subscribe, Visit } from './support.js';

jest.setTimeout(300_000);

describe('a project whose app runs', () => {
  afterAll(leaveBrowser);

  inChromium('shows what its servers measured and printed, by level and deploy, as it comes', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    const { project, deploy } = await deployedSite(visit);
    await measured(project, deploy, [40, 2, 30_000_000]);
    await printed(deploy, [
      ['stdout', 'info', 'listening on 3000'],
      ['stderr', 'error', '\u001b[31mcannot reach the database\u001b[0m'],
    ]);

    await visit.open(`/app/${org}/projects/${project}/metrics`);
    const facts = page.getByRole('term').locator('..');
    await facts.filter({ hasText: 'Requests' }).getByText('40', { exact: true }).waitFor();
    await facts.filter({ hasText: 'Errors' }).getByText('5.00 %').waitFor();
    await facts.filter({ hasText: 'Most memory' }).getByText('30 MB').waitFor();
    for (const chart of ['Requests and errors', 'Time to the end of an answer', 'Memory of a server', 'Restarts'])
      await page.getByRole('img', { name: `${chart} over time` }).waitFor();
    await page.getByRole('button', { name: 'Week' }).click();
    await page.getByRole('button', { name: 'Week', pressed: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?span=week');
    await facts.filter({ hasText: 'Requests' }).getByText('40', { exact: true }).waitFor();

    await page.getByRole('link', { name: 'Logs' }).click();
    const log = page.getByRole('log');
    await page.getByText('2 lines, live').waitFor();
    await log.getByText('listening on 3000').waitFor();
    expect(await log.getByText('cannot reach the database').getAttribute('class')).toContain('text-bad');
    // A line that is printed now shows without asking.
    await printed(deploy, [['stdout', 'warn', 'the cache is nearly full']]);
    await log.getByText('the cache is nearly full').waitFor();
    await page.getByLabel('Level').selectOption('error');
    await page.getByText('1 line, live').waitFor();
    await page.getByLabel('Deploy', { exact: true }).selectOption(deploy);
    await log.getByText('cannot reach the database').waitFor();
    expect(new URL(page.url()).search).toBe(`?level=error&deploy=${deploy}`);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('has crons with their runs, which are refused, made, turned off and removed', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    await subscribe(org);
    const { id: project } = await visit.call('POST', 'projects', { name: 'Shop' });

    await visit.open(`/app/${org}/projects/${project}/crons`);
    await page.getByRole('button', { name: 'New cron' }).first().click();
    const form = page.getByRole('form', { name: 'New cron' });
    await form.getByLabel('Path').fill('/api/clean up');
    await form.getByLabel('Schedule').fill('*/5 * * * *');
    await form.getByText('Every 5 minutes').waitFor();
    await form.getByRole('button', { name: 'Create the cron' }).click();
    await form.locator('[name=path][aria-invalid=true]').waitFor();
    await form.getByLabel('Path').fill('/api/cleanup');
    await form.getByLabel('Schedule').fill('30 9 * * 1');
    await form.getByLabel('Time zone').fill('Europe/Berlin');
    await form.getByRole('button', { name: 'Create the cron' }).click();
    const row = page.getByRole('row', { name: /\/api\/cleanup/ });
    await row.getByText('Every Monday at 09:30, Europe/Berlin').waitFor();
    await row.getByText('Active').waitFor();

    const [cron] = await visit.call('GET', `projects/${project}/crons`);
    await sql(
      `INSERT INTO cron_runs (id, cron_id, org_id, scheduled_for, started_at, finished_at, outcome, status)
        SELECT $2 || lpad(i::text, 25, '0'), $1, 'org', now() - i * interval '1 hour', now() - i * interval '1 hour',
          now() - i * interval '1 hour' + interval '1.5 seconds', outcome, status
        FROM (VALUES (1, 'failed', 500), (2, 'succeeded', 200), (3, 'missed', NULL)) run (i, outcome, status)`,
      [cron.id, `crun_${randomUUID().slice(0, 1)}`],
    );
    await row.getByRole('button', { name: 'Runs' }).click();
    const runs = page.getByRole('dialog', { name: 'Runs of /api/cleanup' });
    await runs.getByRole('row', { name: /Failed.*500.*1,500 ms/ }).waitFor();
    await runs.getByRole('row', { name: /Succeeded.*200/ }).waitFor();
    await runs.getByRole('row', { name: /Missed.*–/ }).waitFor();
    await page.keyboard.press('Escape');

    await row.getByRole('button', { name: 'Turn off' }).click();
    await row.getByText('Off', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Remove /api/cleanup' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the cron' }).click();
    await page.getByRole('heading', { name: 'No crons yet' }).waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('has hooks whose address is shown once, and a password on its site', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    const { project, deploy } = await deployedSite(visit);

    await visit.open(`/app/${org}/projects/${project}/settings/hooks`);
    await page.getByRole('button', { name: 'New hook' }).click();
    const form = page.getByRole('form', { name: 'New hook' });
    await form.getByLabel('Name').fill('Content changed');
    await form.getByLabel('Branch').fill('not a..branch');
    await form.getByRole('button', { name: 'Create the hook' }).click();
    await form.locator('[name=branch][aria-invalid=true]').waitFor();
    await expect(form.getByLabel('Name').inputValue()).resolves.toBe('Content changed');
    await form.getByLabel('Branch').fill('main');
    await form.getByRole('button', { name: 'Create the hook' }).click();
    const address = /https?:\/\/\S+/.exec(
      await page.getByRole('dialog', { name: 'Your new hook' }).getByText(/http/).innerText(),
    )![0];
    await page.getByRole('button', { name: 'I have it' }).click();
    const row = page.getByRole('row', { name: /Content changed/ });
    await row.getByText('Never').waitFor();
    expect(await page.content()).not.toContain(address);
    // The project has no repository, which the caller of the hook learns, and the page that it was called.
    const called = await fetch(new URL(new URL(address).pathname, page.url()), { method: 'POST' });
    expect(called.status).toBe(409);
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the hook' }).click();
    await page.getByRole('heading', { name: 'No hooks yet' }).waitFor();

    const { url } = await visit.call('GET', `deploys/${deploy}`);
    expect(await statusOf(url)).toBe(200);
    await page.getByRole('link', { name: 'Protection' }).click();
    await page.getByLabel('Previews and single deploys').selectOption('password');
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[name=password][aria-invalid=true]').waitFor();
    await expect(page.getByLabel('Password').inputValue()).resolves.toBe('short');
    await page.getByLabel('Password').fill('a password for the shop');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('New password').waitFor();
    expect(await statusOf(url)).toBe(401);
    await page.getByLabel('Previews and single deploys').selectOption('none');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('New password').waitFor({ state: 'detached' });
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});

/** Requests, errors and memory of the last minute, as the servers of a deploy report them. */
async function measured(project: string, deploy: string, facts: readonly [number, number, number]): Promise<void> {
  // Columns d0 to d15 count the requests by duration.
  await sql(
    `INSERT INTO app_metrics VALUES ($1, date_trunc('minute', now() - interval '1 minute'), $2, $3, $4, 1000, 0, $5,
      $3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`,
    [project, deploy, ...facts],
  );
}

async function printed(deploy: string, lines: readonly (readonly [string, string, string])[]): Promise<void> {
  for (const [stream, level, text] of lines) {
    await sql('INSERT INTO app_log_lines (deploy_id, at, stream, level, text) VALUES ($1, now(), $2, $3, $4)', [
      deploy,
      stream,
      level,
      text,
    ]);
  }
}

/** What a browser gets that is led to a deploy by its name. */
function statusOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const { host } = new URL(url);
    const port = Number(process.env['WEB_TEST_APPS_PORT']);
    request({ host: '127.0.0.1', port, headers: { host }, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on('error', reject)
      .end();
  });
}
