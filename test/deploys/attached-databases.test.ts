import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { GitClient } from '../support/git-client.js';
import { as, expectStatus, Make, uniqueName } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(300_000);
const LONG = 120_000;

/** A client of PostgreSQL: the user that it names first, and the first column of each row of one statement. */
const ASK = `
const net = require('node:net');
module.exports = (sql, { user = 'owner', url = process.env.DATABASE_URL, encrypt = false } = {}) =>
  new Promise((resolve) => {
    if (!url) return resolve('no DATABASE_URL');
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
    const end = (text) => { socket.destroy(); resolve(text); };
    const startup = () => {
      const words = Buffer.from(['user', user, 'database', 'postgres', '', ''].join('\\0').slice(0, -1) + '\\0');
      const head = Buffer.alloc(8);
      head.writeInt32BE(8 + words.length);
      head.writeInt32BE(196608, 4);
      socket.write(Buffer.concat([head, words]));
    };
    let received = Buffer.alloc(0);
    let isReady = false;
    let isAsked = encrypt;
    const rows = [];
    socket.once('error', (error) => end(error.code));
    socket.once('close', () => end('closed'));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (isAsked) {
        isAsked = false;
        if (received[0] !== 78) return end('encrypted');
        received = received.subarray(1);
        startup();
      }
      while (received.length >= 5 && received.length > received.readInt32BE(1)) {
        const type = String.fromCharCode(received[0]);
        const body = received.subarray(5, 1 + received.readInt32BE(1));
        received = received.subarray(1 + body.length + 4);
        if (type === 'E') return end(body.toString().split('\\0').find((part) => part[0] === 'M').slice(1));
        if (type === 'D') rows.push(body.toString('utf8', 6, 6 + body.readInt32BE(2)));
        if (type === 'Z' && isReady) return end(rows.join());
        if (type === 'Z') {
          isReady = true;
          const text = Buffer.from(sql + '\\0');
          const head = Buffer.alloc(5);
          head.write('Q');
          head.writeInt32BE(4 + text.length, 1);
          socket.write(Buffer.concat([head, text]));
        }
      }
    });
    if (encrypt) socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
    else startup();
  });
`;
const SERVER = `
const ask = require('./ask.js');
require('node:http').createServer(async (request, response) => {
  const url = new URL(request.url, 'http://app');
  if (url.pathname === '/url') return response.end(process.env.DATABASE_URL ?? 'none');
  if (url.pathname === '/env') return response.end(process.env[url.searchParams.get('name')] ?? 'none');
  if (url.pathname !== '/ask') return response.end('up');
  response.end(await ask(url.searchParams.get('sql'), JSON.parse(url.searchParams.get('as') ?? '{}')));
}).listen(process.env.PORT, process.env.HOSTNAME);
`;
const BUILD = `
for (const [name, value] of Object.entries(process.env)) console.log(name + '=' + value);
console.log(JSON.stringify(process.env));
require('./ask.js')('CREATE TABLE IF NOT EXISTS made (n int)').then((said) => console.log('made ' + said));
`;
const FILES = {
  'package.json': JSON.stringify({ scripts: { build: 'node build.js', start: 'node server.js' } }),
  'ask.js': ASK,
  'server.js': SERVER,
  'build.js': BUILD,
};

/** The command lines of all processes of this machine. */
const commandLinesNow = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        // It has just ended.
        return '';
      }
    });

describe('databases that are attached to a project', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'attached-'));
  chmodSync(dataDirectory, 0o711);
  const app = useApp({ DATA_DIR: dataDirectory }, 'all');
  const make = new Make(app);
  const git = new GitClient();
  let key: string;
  let project: string;
  let database: string;

  const api = async (status: number, method: string, path: string, body?: object): Promise<any> =>
    expectStatus(
      status,
      await app.call(method, `/api/v1${path}`, {
        ...as(key),
        headers: { ...as(key).headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    ).body?.data;

  async function created(name: string): Promise<string> {
    const { id } = await api(201, 'POST', '/databases', { name });
    await eventually(async () => (await api(200, 'GET', `/databases/${id}`)).state === 'ready', 'it is ready', LONG);
    return id as string;
  }
  const attach = (fields: object = {}): Promise<unknown> =>
    api(200, 'PUT', `/databases/${database}/attachments/${project}`, fields);

  async function deployed(branch = 'main'): Promise<any> {
    const { id } = await api(202, 'POST', `/projects/${project}/deploys`, {
      branch,
      type: branch === 'main' ? 'production' : 'preview',
    });
    let deploy: any;
    await eventually(
      async () => {
        deploy = await api(200, 'GET', `/deploys/${id}`);
        return deploy.finished_at !== undefined;
      },
      'the deploy is over',
      LONG,
    );
    expect(deploy.error).toBeUndefined();
    return deploy;
  }
  async function visit(deploy: { url: string }, path: string): Promise<string> {
    const { host } = new URL(deploy.url);
    const answer = await app.raw(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, {
      port: app.appsPort,
    });
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
    return /transfer-encoding: chunked/i.test(answer) ? body.split('\r\n')[1]! : body;
  }
  const ask = (deploy: { url: string }, sql: string, how: object = {}): Promise<string> =>
    visit(deploy, `/ask?sql=${encodeURIComponent(sql)}&as=${encodeURIComponent(JSON.stringify(how))}`);

  beforeAll(async () => {
    key = await make.key(await make.person({ plan: 'builder' }));
    const name = uniqueName('shop');
    const { repo_url: repoUrl } = await api(201, 'POST', '/repositories', { name });
    await git.run([
      'clone',
      '--quiet',
      repoUrl.replace(app.config.publicUrl, app.url.replace('//', `//any:${key}@`)),
      'shop',
    ]);
    await git.run(['checkout', '--quiet', '-B', 'main'], { cwd: 'shop' });
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(dirname(git.path('shop', path)), { recursive: true });
      writeFileSync(git.path('shop', path), text);
    }
    await git.run(['add', '.'], { cwd: 'shop' });
    await git.run(['commit', '--quiet', '-m', 'Begin'], { cwd: 'shop' });
    await git.run(['push', '--quiet', 'origin', 'HEAD:main', 'HEAD:feature'], { cwd: 'shop' });
    project = (await api(201, 'POST', '/projects', { name, repo_url: repoUrl })).id as string;
    database = await created('shop');
    await attach();
  });
  afterAll(() => {
    git.remove();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it('are reached by builds and servers, at an address that holds no secret', async () => {
    const deploy = await deployed();
    expect(await visit(deploy, '/url')).toBe('postgres://owner@127.0.0.1:5432/app');
    // The build has created the table.
    expect(await ask(deploy, 'INSERT INTO made VALUES (7) RETURNING n')).toBe('7');
    const found = await api(200, 'POST', `/databases/${database}/query`, { sql: 'SELECT n FROM made', access: 'read' });
    expect(found.rows).toEqual([[7]]);
  });

  it('give the role of the attachment, not the one that an app names', async () => {
    const deploy = await deployed();
    for (const user of ['platform', 'postgres', 'reader', 'owner'])
      expect(await ask(deploy, "SELECT current_user || ' ' || current_database()", { user })).toBe('owner app');
    // Clients that try encryption first are asked to go without.
    expect(await ask(deploy, 'SELECT 1', { encrypt: true })).toBe('1');
    await attach({ access: 'reader' });
    const reading = await deployed();
    expect(await ask(reading, 'SELECT current_user')).toBe('reader');
    expect(await ask(reading, 'INSERT INTO made VALUES (8)')).toMatch(/permission denied|read-only/);
    await attach({ access: 'owner' });
  });

  it('are part of what makes two builds the same', async () => {
    await deployed();
    const lines = async ({ id }: { id: string }): Promise<string> =>
      (await app.fetch(`/api/v1/deploys/${id}/logs`, as(key))).text;
    expect(await lines(await deployed())).toContain('already built');
    await attach({ prefix: 'SHOP' });
    expect(await lines(await deployed())).not.toContain('already built');
    await attach({ prefix: 'DATABASE' });
  });

  it('give previews a branch of their own where that is asked for, or nothing', async () => {
    await attach({ previews: 'branch' });
    const preview = await deployed('feature');
    await ask(preview, 'INSERT INTO made VALUES (100)');
    expect(await ask(preview, 'SELECT count(*) FROM made WHERE n = 100')).toBe('1');
    const production = await deployed();
    expect(await ask(production, 'SELECT count(*) FROM made WHERE n = 100')).toBe('0');
    await attach({ previews: 'none' });
    expect(await visit(await deployed('feature'), '/url')).toBe('none');
    await attach({ previews: 'same' });
  });

  it('put no secret into addresses, command lines, deploys and logs, even if a build prints all', async () => {
    const { url } = await api(201, 'POST', `/databases/${database}/credentials`, { access: 'owner' });
    const { id: bucket } = await api(201, 'POST', '/storage/buckets', { name: uniqueName('files') });
    await api(200, 'PUT', `/storage/buckets/${bucket}/attachments/${project}`, {});
    await api(200, 'PUT', `/projects/${project}/env`, {
      variables: [{ name: 'OTHER_URL', value: url, secret: true, targets: ['production'] }],
    });
    const { password } = new URL(url as string);
    expect(password).toHaveLength(32);

    const commandLines = new Set<string>();
    const watch = setInterval(() => {
      for (const line of commandLinesNow()) commandLines.add(line);
    }, 20);
    const deploy = await deployed();
    expect(await visit(deploy, '/')).toBe('up');
    clearInterval(watch);
    expect([...commandLines].some((line) => line.includes('build.js'))).toBe(true);

    const bucketSecret = await visit(deploy, '/env?name=STORAGE_SECRET_ACCESS_KEY');
    expect(bucketSecret).toMatch(/^\S{30,}$/);
    expect(await visit(deploy, '/env?name=OTHER_URL')).toBe(url);
    expect(new URL(await visit(deploy, '/url')).password).toBe('');
    const log = (await app.fetch(`/api/v1/deploys/${deploy.id}/logs`, as(key))).text;
    expect(log).toContain('STORAGE_SECRET_ACCESS_KEY=[secret]');
    expect(log).toContain('OTHER_URL=[secret]');
    expect(log).toContain('DATABASE_URL=postgres://owner@127.0.0.1:5432/app');
    for (const secret of [password, bucketSecret]) {
      expect(log).not.toContain(secret);
      expect(JSON.stringify(await api(200, 'GET', `/deploys/${deploy.id}`))).not.toContain(secret);
      expect([...commandLines].filter((line) => line.includes(secret))).toEqual([]);
      expect(app.log().filter((line) => JSON.stringify(line).includes(secret))).toEqual([]);
    }
    await api(204, 'DELETE', `/projects/${project}/env?name=OTHER_URL`);
    await api(204, 'DELETE', `/storage/buckets/${bucket}/attachments/${project}`);
  });

  it('lose to a variable that the project sets', async () => {
    await api(200, 'PUT', `/projects/${project}/env`, {
      variables: [{ name: 'DATABASE_URL', value: 'postgres://elsewhere/mine', targets: ['production'] }],
    });
    expect(await visit(await deployed(), '/url')).toBe('postgres://elsewhere/mine');
    await api(204, 'DELETE', `/projects/${project}/env?name=DATABASE_URL`);
  });

  it('are out of reach after they are detached', async () => {
    const deploy = await deployed();
    expect(await ask(deploy, 'SELECT 1')).toBe('1');
    await api(204, 'DELETE', `/databases/${database}/attachments/${project}`);
    expect(await visit(await deployed(), '/url')).toBe('none');
  });
});
