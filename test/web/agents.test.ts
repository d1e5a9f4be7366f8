import type { Page } from 'playwright-core';
import { inChromium } from '../support/browser.js';
import { leaveBrowser, PASSWORD, subscribe, Visit } from './support.js';

jest.setTimeout(300_000);

describe('agents in the web app', () => {
  afterAll(leaveBrowser);

  inChromium('are created, run, wait for an approval, and show what they did and cost', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    await visit.open(`/app/${org}/agents`);
    await page.getByText('service agents push agent.yml').waitFor();
    await page.getByRole('link', { name: 'New agent' }).first().click();
    await createAgent(page);

    await page.getByRole('button', { name: 'Start a run' }).first().click();
    const start = page.getByRole('form', { name: 'Start a run' });
    await start.getByLabel('Input').fill('Please remember when the shop ships.');
    await start.getByLabel('Highest cost in USD').fill('0.5');
    await start.getByRole('button', { name: 'Start the run' }).click();
    await visit.arrivesAt(/\/runs\/run_/);

    // The page follows the run by itself until it needs a decision.
    const approval = page.getByRole('region', { name: 'Approval of remember' });
    await approval.getByText('"text": "The shop ships on Mondays."').waitFor();
    expect(await page.getByText('of $0.50').count()).toBe(1);
    await approval.getByRole('button', { name: 'Edit the arguments' }).click();
    await approval.getByLabel('Arguments of remember').fill('{"text":"The shop ships on Tuesdays."}');
    await approval.getByLabel('Note').fill('It changed.');
    await approval.getByRole('button', { name: 'Approve with these changes' }).click();

    await page.getByRole('heading', { name: 'Output' }).waitFor();
    await page.getByText('Succeeded').first().waitFor();
    expect(await page.getByRole('list', { name: 'Steps' }).getByText('test/agent').count()).toBe(2);
    const cost = await page.getByRole('meter', { name: 'Cost' }).locator('..').textContent();
    expect(cost).toMatch(/^Cost\$0\.0\d+ of \$0\.50$/);

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the transcript' }).click();
    expect((await download).suggestedFilename()).toMatch(/^run_.*\.md$/);

    // What was approved is what happened.
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Shop helper').click();
    await page.getByRole('link', { name: 'Memory' }).click();
    await page.getByText('The shop ships on Tuesdays.', { exact: true }).first().waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('ask questions that a form answers', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    const agent = await visit.call('POST', 'agents', {
      name: 'Asker',
      instructions: 'Ask.',
      models: ['test/agent'],
      tools: [{ name: 'ask_person' }],
    });
    const run = await visit.call('POST', `agents/${agent.id}/runs`, { input: 'Please ask me.' });
    await visit.open(`/app/${org}/runs/${run.id}`);
    const form = page.getByRole('form', { name: 'Answer' });
    await form.getByText('Which day?').waitFor();
    await form.getByLabel('day').selectOption('Friday');
    await form.getByRole('button', { name: 'Send the answer' }).click();
    await page.getByRole('heading', { name: 'Output' }).waitFor();
    expect((await visit.call('GET', `runs/${run.id}/steps`))[0].tool_calls[0].output).toEqual({ day: 'Friday' });
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('keep what a person typed when a run changed the block meanwhile', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    const { id } = await visit.call('POST', 'agents', {
      name: 'Keeper',
      instructions: 'Keep.',
      models: ['test/agent'],
      memory: { blocks: [{ label: 'persona', value: 'Kind.' }], archive: true },
    });
    await visit.open(`/app/${org}/agents/${id}/memory`);
    const block = page.getByRole('form', { name: 'Block persona' });
    await block.getByLabel('persona').fill('Brief.');
    await visit.call('PUT', `agents/${id}/blocks/persona`, { value: 'Funny.', version: 1 });
    await block.getByRole('button', { name: 'Save the block' }).click();
    await block.getByRole('alert').getByText('Funny.').waitFor();
    expect(await block.getByLabel('persona').inputValue()).toBe('Brief.');
    await block.getByRole('button', { name: 'Keep mine, and replace it' }).click();
    await block.getByRole('button', { name: 'Save the block' }).click();
    await block.getByText('Version 3').waitFor();
    expect(await visit.call('GET', `agents/${id}/blocks`)).toMatchObject([{ value: 'Brief.', version: 3 }]);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('show what a version changed, and go back to an earlier one', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    const { id } = await visit.call('POST', 'agents', {
      name: 'Writer',
      instructions: 'Write.\nBe brief.',
      models: ['test/agent'],
    });
    await visit.open(`/app/${org}/agents/${id}/definition`);
    await page.getByLabel('Instructions').fill('Write.\nBe funny.');
    await page.getByRole('button', { name: 'Save a new version' }).click();
    await visit.arrivesAt(/\/versions$/);
    const differences = page.getByRole('region', { name: 'Differences' });
    await differences.getByText('Be funny.').waitFor();
    expect(await differences.getByText('Be brief.').count()).toBe(1);
    expect(await differences.getByText('monthly_cost').count()).toBe(0);
    await page.getByRole('button', { name: /^Make live.*version 1$/ }).click();
    await page.getByText('version 1 is live').waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});

describe('runs, schedules and swarms in the web app', () => {
  afterAll(leaveBrowser);

  inChromium('show text while it is written, and are cancelled', async () => {
    const { visit, page, org, agent } = await visitWith({ tools: [{ name: 'ask_person' }] });
    const run = await visit.call('POST', `agents/${agent}/runs`, { input: 'Please ask me, and never end.' });
    await visit.open(`/app/${org}/runs/${run.id}`);
    const form = page.getByRole('form', { name: 'Answer' });
    await form.getByLabel('day').selectOption('Friday');
    await form.getByRole('button', { name: 'Send the answer' }).click();
    await page.getByText('The model is writing').waitFor();
    await page.getByText('One two three').waitFor();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText('Cancelled').first().waitFor();
    expect(await page.getByRole('button', { name: 'Cancel the run' }).count()).toBe(0);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('go on when a full budget is raised', async () => {
    const { visit, page, org, agent } = await visitWith({ tools: [{ name: 'remember' }], memory: { archive: true } });
    const run = await visit.call('POST', `agents/${agent}/runs`, { input: 'Please remember.', budget: { steps: 1 } });
    await visit.open(`/app/${org}/runs/${run.id}`);
    await page.getByText('Budget used up').waitFor();
    const form = page.getByRole('form', { name: 'Raise the budget' });
    expect(await form.getByLabel('Steps').inputValue()).toBe('2');
    await form.getByRole('button', { name: 'Raise and go on' }).click();
    await page.getByRole('heading', { name: 'Output' }).waitFor();
    await page.getByText('2 of 2').waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('have the next times of a schedule before it is saved, and start runs on request', async () => {
    const { visit, page, org } = await visitWith({});
    await subscribed(visit, org);
    await visit.open(`/app/${org}/schedules`);
    await page.getByRole('button', { name: 'New schedule' }).first().click();
    const form = page.getByRole('form', { name: 'Schedule' });
    await form.getByLabel('Name').fill('Morning report');
    await form.getByLabel('Agent').selectOption('Helper');
    await form.getByLabel('Input').fill('Do nothing.');
    await form.getByLabel('Cron', { exact: true }).fill('30 7 * * *');
    await form.getByLabel('Time zone').fill('Asia/Kolkata');
    await form.getByRole('list', { name: 'Next times' }).getByText('07:30 GMT+5:30').first().waitFor();
    await form.getByRole('button', { name: 'Create the schedule' }).click();
    await visit.arrivesAt(/\/schedules\/sch_/);
    await page.getByText('Every day at 07:30, Asia/Kolkata').waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('link', { name: 'Open the run' }).click();
    await page.getByRole('heading', { name: 'Output' }).waitFor();
    await page.getByRole('link', { name: 'Schedule', exact: true }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('are started as a swarm, whose board gets the tasks that people add', async () => {
    const { visit, page, org } = await visitWith({ models: ['test/endless'] });
    await subscribed(visit, org);
    await visit.open(`/app/${org}/swarms`);
    await page.getByRole('button', { name: 'New swarm' }).first().click();
    const form = page.getByRole('form', { name: 'New swarm' });
    await form.getByLabel('Name').fill('Market research');
    await form.getByLabel('Goal').fill('Compare the prices of three hosts.');
    await form.getByLabel('Coordinator').selectOption('Helper');
    await form.getByLabel('Workers').selectOption('Helper');
    await form.getByRole('button', { name: 'Start the swarm' }).click();
    await visit.arrivesAt(/\/swarms\/swm_/);
    await page.getByRole('button', { name: 'Add a task' }).click();
    await page.getByRole('form', { name: 'New task' }).getByLabel('Title').fill('Read a page');
    await page.getByRole('button', { name: 'Add the task' }).click();
    await page.getByRole('button', { name: /^Read a page/ }).waitFor();
    await page.getByRole('button', { name: 'Cancel the swarm' }).click();
    await page.getByText('Cancelled').first().waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});

/** A person with an agent that is called Helper. */
async function visitWith(
  definition: object,
): Promise<{ readonly visit: Visit; readonly page: Page; readonly org: string; readonly agent: string }> {
  const visit = await Visit.begin();
  const org = await visit.signUp();
  const { id: agent } = await visit.call('POST', 'agents', {
    name: 'Helper',
    instructions: 'Help.',
    models: ['test/agent'],
    ...definition,
  });
  return { visit, page: visit.page, org, agent };
}

/** What a session may do is known for a moment. A new one knows of the plan. */
async function subscribed(visit: Visit, org: string): Promise<void> {
  await subscribe(org);
  await visit.call('POST', 'auth/sign-in', { login: org, password: PASSWORD });
}

async function createAgent(page: Page): Promise<void> {
  const form = page.getByRole('form', { name: 'New agent' });
  await form.getByLabel('Name', { exact: true }).fill('Shop helper');
  await form.getByLabel('Instructions').fill('Help with the shop.');
  await form.getByLabel('Model', { exact: true }).fill('test/agent');
  await form.getByText('remember', { exact: true }).click();
  await form.getByLabel('Approval of remember').selectOption('always');
  await form.getByText('Memory', { exact: true }).click();
  await form.getByText('Keep an archive').click();
  await form.getByRole('button', { name: 'Create the agent' }).click();
  await page.getByRole('heading', { name: 'Shop helper' }).waitFor();
}
