import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { command, type ContainerEngine } from './container-engine.js';
import { eventually } from './test-app.js';
import { readmeBlock } from './readme.js';
import { onThisMachine } from './patience.js';

const READY_WITHIN_MS = 120_000;
const README_WITHIN_MS = 120_000;

/** Differs from run to run, so that it is compared by its type alone. */
const VARYING = ['id', 'request_id', 'queue_ms', 'duration_ms', 'cpu_ms', 'memory_peak_bytes', 'version'];

/** The API of a service in containers, at a port of this machine. */
export class ContainerService {
  constructor(
    private readonly engine: ContainerEngine,
    readonly port: number,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Waits until it is ready, and returns what it says of its parts. */
  async ready(container: string): Promise<any> {
    let last: any;
    await eventually(
      async () => {
        if ((await this.engine.podman(['inspect', container, '--format', '{{.State.Running}}'])) !== 'true')
          throw new Error(`The container has ended: ${(await this.engine.logs(container)).slice(-4_000)}`);
        last = await this.get('/ready').catch(() => undefined);
        return last?.status === 'ok';
      },
      `the service in ${container} is ready`,
      READY_WITHIN_MS,
    );
    return last.details;
  }

  async get(path: string, key?: string): Promise<any> {
    return (await fetch(this.url + path, { headers: headersOf(key) })).json();
  }

  async post(path: string, body: object, key: string): Promise<any> {
    const answer = await fetch(this.url + path, {
      method: 'POST',
      headers: { ...headersOf(key), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${text}`);
    return JSON.parse(text).data;
  }

  /** The first request of the README gets the README's answer. */
  async checkFirstRequest(): Promise<void> {
    const answer = await this.runReadme(['first-request']);
    expect(comparable(answer)).toEqual(comparable(readmeBlock('first-answer')));
  }

  /** What the README shows from an account to a page that is live. Returns a key of the account. */
  async checkAccountAndDeploy(): Promise<string> {
    const output = await this.runReadme(
      ['account', 'command-line', 'client', 'first-deploy'],
      'echo "key $SERVICE_API_KEY"',
    );
    expect(output).toMatch(/^hello from 3/m);
    expect(output).toMatch(/^ada has the plan free; calls left today: 49/m);
    expect(output).toMatch(/^<h1>It is live\.<\/h1>$/m);
    return /^key (\S+)$/m.exec(output)![1]!;
  }

  /** Creates a database, and changes and reads it with a driver and by HTTP. */
  async checkDatabase(key: string, port: number): Promise<void> {
    const { id } = await this.post('/api/v1/databases', { name: 'shop' }, key);
    let last: any;
    await eventually(
      async () => (last = (await this.get(`/api/v1/databases/${id}`, key)).data).state === 'ready',
      'the database is ready',
      60_000,
    );
    expect(last).toMatchObject({ state: 'ready' });
    const { url } = await this.post(`/api/v1/databases/${id}/credentials`, { access: 'owner' }, key);
    const address = new URL(url);
    address.hostname = '127.0.0.1';
    address.port = String(port);
    address.search = '';
    const client = new Client({ connectionString: address.href, ssl: { rejectUnauthorized: false } });
    await client.connect();
    try {
      await client.query('CREATE TABLE cats (name text)');
      await client.query("INSERT INTO cats VALUES ('Tom')");
    } finally {
      await client.end();
    }
    const { rows } = await this.post(
      `/api/v1/databases/${id}/query`,
      { sql: 'SELECT name FROM cats', access: 'read' },
      key,
    );
    expect(rows).toEqual([['Tom']]);
  }

  private async runReadme(blocks: readonly string[], last = ''): Promise<string> {
    const script = ['set -euo pipefail', ...blocks.map(readmeBlock), last].join('\n');
    const home = `${this.engine.directory}/tmp`;
    const env = { SERVICE_URL: this.url, XDG_CONFIG_HOME: `${home}/config-${this.port}` };
    const { status, stdout, stderr } = await command(
      'bash',
      ['-c', script.replaceAll('127.0.0.1:3000', `127.0.0.1:${this.port}`)],
      { cwd: PROJECT_ROOT, env, withinMs: README_WITHIN_MS },
    );
    if (status !== 0) throw new Error(`${blocks.join(', ')} ended with ${status}: ${stdout}\n${stderr}`);
    return stdout;
  }
}

/** Ends a container by SIGTERM. @returns how it ended, and after which time. */
export async function stopped(
  engine: ContainerEngine,
  container: string,
  graceMs: number,
): Promise<{ readonly exitCode: string; readonly tookMs: number }> {
  const startedAtMs = performance.now();
  await engine.podman(['kill', '--signal', 'TERM', container]);
  const until = startedAtMs + onThisMachine(graceMs);
  while ((await engine.podman(['inspect', container, '--format', '{{.State.Running}}'])) === 'true') {
    if (performance.now() > until)
      throw new Error(`${container} runs on: ${(await engine.logs(container)).slice(-2_000)}`);
    await sleep(100);
  }
  const exitCode = await engine.podman(['inspect', container, '--format', '{{.State.ExitCode}}']);
  return { exitCode, tookMs: performance.now() - startedAtMs };
}

function comparable(json: string): unknown {
  return JSON.parse(json, (key, value: unknown) => (VARYING.includes(key) ? typeof value : value));
}

function headersOf(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}
