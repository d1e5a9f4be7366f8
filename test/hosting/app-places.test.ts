import { request as httpRequest } from 'node:http';
import { built, deploy, type Deployed, visit, giveEnvironment, runtimeLogs } from '../support/hosting.js';
import { eventually, useApp } from '../support/test-app.js';

/** Holds requests for `/hold` for as long as its visitor does. */
const HOLDING = `
require('node:http').createServer((request, response) => {
  if (request.url === '/hold') response.write('held');
  else response.end('fine');
}).listen(process.env.PORT, process.env.HOSTNAME);
`;
/** Prints as fast as its pipe takes it, once it was asked to. */
const FLOODING = `
require('node:http').createServer((request, response) => {
  response.end('fine');
  if (request.url === '/flood') setInterval(() => process.stdout.write('\\n'.repeat(65536)), 1);
}).listen(process.env.PORT, process.env.HOSTNAME);
`;
const TALKING = `
require('node:http').createServer((request, response) => {
  for (let line = 0; line < 50; line++) console.log(request.url + ' ' + line);
  response.end('fine');
}).listen(process.env.PORT, process.env.HOSTNAME);
`;

const serverOf = (text: string): ReturnType<typeof built> =>
  built(
    { 'server.js': text },
    {
      kind: 'server',
      framework: 'node',
      server: { command: ['node', 'server.js'], directory: '' },
      static: [],
    },
  );

describe('servers of apps beside each other', () => {
  const app = useApp();
  const held: (() => void)[] = [];

  beforeAll(() => {
    giveEnvironment(app);
  });

  afterEach(() => {
    for (const release of held.splice(0)) release();
  });

  const hold = (label: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const asked = httpRequest(
        { port: app.appsPort, host: '127.0.0.1', path: '/hold', headers: { host: `${label}.localhost` }, agent: false },
        (response) => {
          response.on('error', () => undefined).resume();
          resolve(response.statusCode!);
        },
      );
      asked.once('error', reject);
      held.push(() => {
        asked.destroy();
      });
      asked.end();
    });

  const logOf = async ({ deployId }: Deployed): Promise<string> =>
    (await runtimeLogs(app, deployId)).map(({ stream, text }) => `${stream}: ${text}`).join('\n');

  it('have as many slots as the plan of the organization allows, and the answer says why none is free', async () => {
    const apps = await Promise.all(
      Array.from({ length: 4 }, () => deploy(app, serverOf(HOLDING), { orgId: 'org_greedy' })),
    );
    for (const { label } of apps.slice(0, 3)) expect(await hold(label)).toBe(200);

    const refused = await visit(app, apps[3]!.label, '/');
    expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('app_places_taken')]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await logOf(apps[3]!)).toMatch(
      /^system: The server was not started: the plan's limit of running servers is reached/,
    );

    const honest = await deploy(app, serverOf(HOLDING), { orgId: 'org_honest' });
    expect((await visit(app, honest.label, '/')).status).toBe(200);

    // One that nobody waits for gives its place away.
    held.shift()!();
    await eventually(async () => (await visit(app, apps[3]!.label, '/')).status === 200, 'the fourth has a place');
    expect((await visit(app, apps[0]!.label, '/')).status).toBe(200);
  });

  it('can flood their logs without affecting others', async () => {
    const floods = await Promise.all(
      ['org_a', 'org_b', 'org_c'].map((orgId) => deploy(app, serverOf(FLOODING), { orgId })),
    );
    const talker = await deploy(app, serverOf(TALKING), { orgId: 'org_honest' });
    for (const { label } of [...floods, talker]) expect((await visit(app, label, '/')).status).toBe(200);
    const timeOf = async (): Promise<number> => {
      const start = performance.now();
      for (let call = 0; call < 30; call++) expect((await app.fetch('/health')).status).toBe(200);
      return performance.now() - start;
    };
    await timeOf();
    const quietMs = await timeOf();

    for (const { label } of floods) await visit(app, label, '/flood');
    for (const flood of floods) await eventually(async () => (await logOf(flood)).length > 0, 'it floods', 20_000);
    const usedBefore = process.cpuUsage();
    const startedMs = performance.now();
    // A single call took seconds.
    expect(await timeOf()).toBeLessThan(10 * quietMs + 3_000);
    for (let call = 0; call < 10; call++) expect((await visit(app, talker.label, `/${call}`)).status).toBe(200);
    await new Promise((resolve) => {
      setTimeout(resolve, 1_500);
    });
    const { user, system } = process.cpuUsage(usedBefore);
    expect((user + system) / 1_000).toBeLessThan(0.95 * (performance.now() - startedMs));

    for (const flood of floods) {
      await eventually(
        async () =>
          /system: \d{4,} lines were dropped: the server printed more than 200 lines a second/.test(await logOf(flood)),
        'the log says what is missing',
        20_000,
      );
    }
    const said = await runtimeLogs(app, talker.deployId, 1_000);
    expect(said.filter(({ text }) => /^\/\d \d+$/.test(text))).toHaveLength(500);
  });
});
