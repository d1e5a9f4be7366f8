import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { addConformanceGroup } from '../support/conformance-group.js';
import { freePort } from '../support/free-port.js';
import { expectStatus, Make, type Person } from '../support/make.js';
import { OAuthBrowser, OAuthFlow } from '../support/oauth.js';
import { onThisMachine } from '../support/patience.js';
import { TestApp } from '../support/test-app.js';

jest.setTimeout(onThisMachine(120_000));

const ROOT = join(__dirname, '../..');
const SUITE = join(dirname(require.resolve('@modelcontextprotocol/conformance/package.json')), 'dist/index.js');
const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
/** Each answers eight messages at once, and the suite sends more. */
const KEYS = 4;

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
}
type Results = ReadonlyMap<string, readonly Check[]>;

let app: TestApp;
let person: Person;
let proxy: Server;
let url: string;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'service-conformance-'));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  app = new TestApp({ PUBLIC_URL: url }, 'api');
  await app.start();
  addConformanceGroup(app);
  const make = new Make(app);
  person = await make.person({ plan: 'enterprise' });
  const keys = await Promise.all(Array.from({ length: KEYS }, () => make.key(person)));
  proxy = addingKeys(keys).listen(port, '127.0.0.1');
  await once(proxy, 'listening');
});

afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await app.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** The suite calls a server without a key: what stands between them adds one. */
function addingKeys(keys: readonly string[]): Server {
  let calls = 0;
  return createServer((incoming, answer) => {
    const key = incoming.url === '/mcp' ? { authorization: `Bearer ${keys[calls++ % keys.length]}` } : {};
    const headers = { ...incoming.headers, ...key };
    const outgoing = httpRequest(app.url + incoming.url!, { method: incoming.method!, headers }, (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
}

/** Runs the suite, and returns the checks of each scenario. `onOutput` gets all that it has printed. */
async function run(
  args: readonly string[],
  name: string,
  onOutput: (text: string) => void = () => undefined,
): Promise<Results> {
  const output = join(directory, name);
  const child = spawn(process.execPath, [SUITE, ...args, '-o', output], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH']!, HOME: directory },
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    onOutput(text);
  });
  await once(child, 'close');
  return new Map(
    readdirSync(output).map((scenario) => [
      scenario.replace(/^(?:server|authorization-server)-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
      JSON.parse(readFileSync(join(output, scenario, 'checks.json'), 'utf8')) as Check[],
    ]),
  );
}

const failuresOf = (results: Results): string[] =>
  [...results].flatMap(([scenario, checks]) =>
    checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => `${scenario}/${id}`),
  );

/** A row names a check, a scenario, or with `-*` all scenarios that begin so. */
const covers = (row: string, failure: string): boolean =>
  row.endsWith('*') ? failure.startsWith(row.slice(0, -1)) : failure === row || failure.startsWith(`${row}/`);

/** The scenarios that docs/mcp.md names as left out for a revision. */
function leftOut(revision: string): string[] {
  const page = readFileSync(join(ROOT, 'docs/mcp.md'), 'utf8');
  const [, table = ''] = /<!-- conformance -->\n([^]*?)<!-- \/conformance -->/.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| (`[^|]+) \| ([\d-]+(?:, [\d-]+)*) \| \S[^|]* \|$/gm)];
  return rows
    .filter(([, , revisions]) => revisions!.includes(revision))
    .flatMap(([, scenarios]) => [...scenarios!.matchAll(/`([^`]+)`/g)].map(([, scenario]) => scenario!));
}

it('the conformance suite for servers passes, but for what docs/mcp.md names', async () => {
  const runs = REVISIONS.map((each) => run(['server', '--url', `${url}/mcp`, '--requirements', each], each));
  for (const [index, results] of (await Promise.all(runs)).entries()) {
    const revision = REVISIONS[index]!;
    const failures = failuresOf(results);
    const rows = leftOut(revision);
    const unnamed = failures.filter((failure) => !rows.some((row) => covers(row, failure)));
    const needless = rows.filter((row) => !failures.some((failure) => covers(row, failure)));
    expect({ revision, unnamed, needless }).toEqual({ revision, unnamed: [], needless: [] });
    expect(results.size).toBeGreaterThan(30);
    expect(results.get('tools-list')?.map(({ status }) => status)).toContain('SUCCESS');
  }
});

it('the conformance suite for authorization servers passes', async () => {
  const port = await freePort();
  const flow = new OAuthFlow(app);
  const browser = new OAuthBrowser(app);
  await browser.signIn(person);
  const clientId = await flow.register({ redirect_uris: [`http://127.0.0.1:${port}/callback`] });
  const consent = async (address: string): Promise<void> => {
    const page = expectStatus(303, await browser.get(address)).headers.get('location')!;
    const choice = { orgs: [person.organization.id], scopes: ['projects:read'] };
    await fetch(await flow.consent(browser, page, choice));
  };
  let visit: Promise<void> | undefined;
  const args = ['authorization', '--url', url, '--client-id', clientId, '--resource', `${url}/mcp`, '-p', `${port}`];
  const results = await run(args, 'authorization', (text) => {
    const address = /^http\S+\/oauth\/authorize\?\S+\n/m.exec(text)?.[0].trim();
    if (address !== undefined) visit ??= consent(address);
  });
  await visit;
  expect([...results.keys()].sort()).toEqual(['authorization-code-grant', 'authorization-server-metadata-endpoint']);
  for (const checks of results.values()) for (const check of checks) expect(check).toMatchObject({ status: 'SUCCESS' });
});
