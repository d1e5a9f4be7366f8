import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { until } from '../support/embedded-servers.js';
import { GitClient } from '../support/git-client.js';
import { onThisMachine } from '../support/patience.js';
import { stateOf, stillRunning } from '../support/processes.js';
import { makeMemoryDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { ServiceProcess } from '../support/service-process.js';

jest.setTimeout(onThisMachine(240_000));

const SERVER = `require('node:http').createServer((request, response) => {
  if (request.url === '/hostile') request.socket.end('HTTP/1.1 000 X\\r\\ncontent-length: 0\\r\\n\\r\\n');
  else response.end('from the app');
}).listen(process.env.PORT, process.env.HOSTNAME);
// An app may have programs of its own.
require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
  stdio: 'ignore', detached: true }).unref();`;

describe('a service with running apps', () => {
  const git = new GitClient();
  let dataDir: string;

  beforeAll(() => {
    dataDir = makeMemoryDirectory();
  });
  afterAll(async () => {
    await ServiceProcess.killAll();
    git.remove();
    removeScratchDirectory(dataDir);
  });

  it('ends their processes when it is killed, and serves them again after a restart', async () => {
    const env = { DATA_DIR: dataDir, SANDBOX_ENABLED: 'false' };
    const service = await ServiceProcess.start({ env });
    const key = await keyAt(service);
    const call = callerOf(service, key);
    const { repo_url: repoUrl } = await call('POST', '/repositories', { name: 'app' });
    const { id: project } = await call('POST', '/projects', { name: 'app', repo_url: repoUrl });
    await git.run([
      'clone',
      '--quiet',
      service.url.replace('//', `//any:${key}@`) + new URL(repoUrl as string).pathname,
      'app',
    ]);
    mkdirSync(git.path('app', 'src'));
    writeFileSync(
      git.path('app', 'package.json'),
      JSON.stringify({ name: 'app', private: true, scripts: { start: 'node src/server.js' } }),
    );
    writeFileSync(git.path('app', 'src', 'server.js'), SERVER);
    await git.run(['add', '.'], { cwd: 'app' });
    await git.run(['commit', '--quiet', '-m', 'An app'], { cwd: 'app' });
    await git.run(['push', '--quiet', 'origin', 'HEAD:main'], { cwd: 'app' });
    let deploy: any;
    await until(
      'it is deployed',
      async () => {
        [deploy] = await call('GET', `/projects/${project}/deploys`);
        return deploy?.finished_at !== undefined;
      },
      120_000,
    );
    expect([deploy.state, deploy.error]).toEqual(['ready', undefined]);
    expect(await visit(service, deploy.url as string)).toBe('from the app');
    // An answer that is no HTTP ended the process once.
    expect(await visit(service, `${deploy.url as string}/hostile`)).toContain('502 app_failed');
    expect(await visit(service, deploy.url as string)).toBe('from the app');

    const family = service.family();
    const apps = family.filter(({ name }) => name === 'bwrap');
    expect(apps.length).toBeGreaterThan(0);
    service.signal('SIGKILL');
    await until('all that it started is gone', () => stillRunning(family).length === 0, 10_000);

    const next = await ServiceProcess.start({
      env: { ...env, APP_FREEZE_AFTER_MS: '300' },
    });
    expect(await visit(next, deploy.url as string)).toBe('from the app');

    // Nor one that stands frozen: what is stopped acts on no signal but this one.
    await until('the app sleeps', async () => (await next.metric('app_servers{state="frozen"}')) === 1, 60_000);
    const asleep = next.family();
    const stopped = asleep.filter(({ pid }) => stateOf(pid) === 'T');
    // The server, the program that it has started, and what bubblewrap has around them.
    expect(stopped.length).toBeGreaterThanOrEqual(4);
    next.signal('SIGKILL');
    await until('all that it started is gone', () => stillRunning(asleep).length === 0, 10_000);
  });
});

async function keyAt(service: ServiceProcess): Promise<string> {
  const account = { username: 'ada', email: 'ada@example.org', password: 'a-long-enough-secret' };
  const { session_token: token } = await callerOf(service, undefined)('POST', '/auth/sign-up', account);
  return (await callerOf(service, token as string)('POST', '/keys', { name: 'a key' })).secret as string;
}

const callerOf =
  (service: ServiceProcess, token: string | undefined) =>
  async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: any = await response.json();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer.data;
  };

/** What a browser would see: it leads `*.localhost` to this machine. */
const visit = (service: ServiceProcess, url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    request(
      { host: '127.0.0.1', port: service.appsPort, path: new URL(url).pathname, headers: { host: new URL(url).host } },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('end', () => {
          resolve(text);
        });
      },
    )
      .on('error', reject)
      .end();
  });
