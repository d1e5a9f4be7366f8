import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type BuildSource } from '../../src/modules/builds/build-request.js';
import { EgressProxy } from '../../src/platform/egress/egress-proxy.js';
import { Workbench } from './workbench.js';

/** An address of this machine that no tool takes for its own; it goes through the proxy. */
const HOST = '127.0.0.2';
const json = (value: unknown): string => JSON.stringify(value);

async function listen(listener: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(listener).listen(0, HOST);
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  return { server, port: (server.address() as { port: number }).port };
}

describe('a repository of another host', () => {
  let bench: Workbench;
  let servers: Server[];
  let port: number;
  let canaryPort: number;
  let root: string;
  let asked: string[];
  let canaryAsked = 0;

  beforeAll(async () => {
    asked = [];
    const canary = await listen((_request, response) => {
      canaryAsked += 1;
      response.end('canary');
    });
    canaryPort = canary.port;
    const git = await listen((request, response) => {
      asked.push(
        `${request.method} ${request.url} ${request.headers.authorization === undefined ? '' : 'authorized'}`.trim(),
      );
      if (request.url!.startsWith('/redirect')) {
        response.writeHead(302, { Location: `http://${HOST}:${canaryPort}${request.url!}` }).end();
        return;
      }
      if (
        request.url!.startsWith('/private') &&
        request.headers.authorization !== `Basic ${Buffer.from('ada:pass word').toString('base64')}`
      ) {
        response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
        return;
      }
      const { pathname, searchParams } = new URL(request.url!, 'http://host');
      const backend = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], {
        env: {
          PATH: process.env['PATH']!,
          GIT_PROJECT_ROOT: root,
          GIT_HTTP_EXPORT_ALL: '1',
          PATH_INFO: pathname.replace(/^\/private/, ''),
          QUERY_STRING: searchParams.toString(),
          REQUEST_METHOD: request.method!,
          CONTENT_TYPE: request.headers['content-type'] ?? '',
          HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
          GIT_PROTOCOL: (request.headers['git-protocol'] as string | undefined) ?? '',
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: 'safe.directory',
          GIT_CONFIG_VALUE_0: '*',
        },
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      request.pipe(backend.stdin);
      const chunks: Buffer[] = [];
      backend.stdout.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
      });
      backend.once('close', () => {
        const all = Buffer.concat(chunks);
        const end = all.indexOf('\r\n\r\n');
        const headers = Object.fromEntries(
          all
            .subarray(0, end)
            .toString('latin1')
            .split('\r\n')
            .map((line) => line.split(': ', 2) as [string, string]),
        );
        response.writeHead(parseInt(headers.Status ?? '200', 10), headers).end(all.subarray(end + 4));
      });
    });
    port = git.port;
    servers = [git.server, canary.server];
    bench = new Workbench({ gitHosts: [`${HOST}:${port}`] });
    root = bench.directory;
  });

  afterAll(async () => {
    for (const server of servers) server.close();
    await bench.close();
    expect(canaryAsked).toBe(0);
  });

  const sourceOf = (path: string, more: Partial<BuildSource> = {}): BuildSource => ({
    repoUrl: `http://${HOST}:${port}${path}`,
    localRepository: null,
    ref: 'main',
    ...more,
  });
  const pathOf = (repository: { path: string }): string => repository.path.slice(bench.directory.length);
  const signal = new AbortController().signal;

  it('is fetched and built', async () => {
    const repository = bench.repository({ 'index.html': 'from afar' });
    const source = sourceOf(pathOf(repository));
    expect(await bench.commitOf(source, signal)).toEqual({ sha: repository.sha, message: 'Make it', author: 'Ada' });
    expect((await bench.build(repository, { source })).files).toEqual({ 'index.html': 'from afar' });
    await expect(bench.commitOf({ ...source, ref: 'missing' }, signal)).rejects.toMatchObject({
      code: 'ref_not_found',
    });
    await expect(bench.commitOf(sourceOf('/nothing/here.git'), signal)).rejects.toMatchObject({
      code: 'repository_unreachable',
    });
  });

  it('is fetched with credentials that the build cannot see', async () => {
    const repository = bench.repository({
      'package.json': json({ scripts: { build: 'node build.js' } }),
      'build.js':
        "const fs = require('fs'), cp = require('child_process'); fs.mkdirSync('dist'); " +
        "fs.writeFileSync('dist/index.html', cp.execSync('git config -l; cat .git/config .git/FETCH_HEAD; " +
        "ls -la /tmp /home/build; env').toString())",
    });
    const source = sourceOf(`/private${pathOf(repository)}`, {
      credentials: { username: 'ada', password: 'pass word' },
    });
    const { files, log } = await bench.build(repository, { source });
    expect(files['index.html']).toContain('HOME=/home/build');
    expect(files['index.html']! + log.join('\n')).not.toMatch(/pass word|YWRhOnBhc3Mgd29yZA/);
    expect(asked.filter((line) => line.endsWith('authorized'))).not.toHaveLength(0);

    const wrong = { ...source, credentials: { username: 'ada', password: 'wrong' } };
    const refused: unknown = await bench.commitOf(wrong, signal).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'repository_unreachable' });
    expect(String(refused)).not.toContain('wrong');
  });

  it('can reach nothing else', async () => {
    await expect(bench.commitOf(sourceOf('/redirect/a.git'), signal)).rejects.toMatchObject({
      code: 'repository_unreachable',
    });
    expect(canaryAsked).toBe(0);
  });
});

describe('packages', () => {
  let bench: Workbench;
  let isSick = false;
  let server: Server;
  let port: number;
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'registry-'));
    mkdirSync(join(directory, 'package'));
    writeFileSync(
      join(directory, 'package', 'package.json'),
      json({
        name: 'greeting',
        version: '1.0.0',
        bin: { greet: 'bin.js' },
        scripts: { postinstall: 'node bin.js > made.txt' },
      }),
    );
    writeFileSync(join(directory, 'package', 'bin.js'), '#!/usr/bin/env node\nconsole.log(require("./word.js"))\n', {
      mode: 0o755,
    });
    writeFileSync(join(directory, 'package', 'word.js'), 'module.exports = "good day"');
    execFileSync('tar', ['czf', join(directory, 'greeting.tgz'), '-C', directory, 'package']);
    const listening = await listen((request, response) => {
      if (isSick) response.writeHead(503).end('{}');
      else if (request.url === '/greeting/-/greeting-1.0.0.tgz')
        response.end(readFileSync(join(directory, 'greeting.tgz')));
      else response.writeHead(404).end('{}');
    });
    ({ server, port } = listening);
    bench = new Workbench({ allowedHosts: [`${HOST}:${port}`] });
  });

  afterAll(async () => {
    server.close();
    rmSync(directory, { recursive: true });
    await bench.close();
  });

  it('are installed by their lock file from an allowed registry, and then from the cache', async () => {
    const integrity = `sha512-${createHash('sha512')
      .update(readFileSync(join(directory, 'greeting.tgz')))
      .digest('base64')}`;
    const manifest = {
      name: 'app',
      version: '1.0.0',
      dependencies: { greeting: '1.0.0' },
      scripts: {
        build: 'mkdir dist && greet > dist/index.html && cat node_modules/greeting/made.txt >> dist/index.html',
        start: 'greet',
      },
    };
    const lock = {
      name: 'app',
      version: '1.0.0',
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': { name: 'app', version: '1.0.0', dependencies: { greeting: '1.0.0' } },
        'node_modules/greeting': {
          version: '1.0.0',
          resolved: `http://${HOST}:${port}/greeting/-/greeting-1.0.0.tgz`,
          integrity,
          hasInstallScript: true,
          bin: { greet: 'bin.js' },
        },
      },
    };
    const repository = bench.repository({
      'package.json': json(manifest),
      'package-lock.json': json(lock),
      '.npmrc': `registry=http://${HOST}:${port}/\nfetch-retries=0\n`,
    });
    const settings = { framework: 'static' };
    const first = await bench.build(repository, { settings }, true);
    expect(first.files).toEqual({ 'index.html': 'good day\ngood day\n' });
    expect(first.phases).toEqual(['fetch', 'install', 'build', 'collect']);
    expect(first.log).toContain('system: $ npm ci --include=dev');

    isSick = true;
    await expect(
      bench.build(repository, { settings, target: 'preview', projectId: 'prj_unlucky' }),
    ).rejects.toMatchObject({
      code: 'install_failed',
      message: expect.stringContaining('the registry answered with its own error 503') as string,
    });

    server.close();
    server.closeAllConnections();
    const second = await bench.build(repository, { settings });
    expect(second.files).toEqual(first.files);
    expect(second.log).toContain('system: Packages: as installed before, from the cache.');
    await expect(
      bench.build(repository, { settings, target: 'preview', projectId: 'prj_other' }),
    ).rejects.toMatchObject({
      code: 'install_failed',
      message: expect.stringContaining(
        `${HOST}:${port} could not be reached. Deploy again in a few minutes.`,
      ) as string,
    });

    const asServer = await bench.build(repository, { settings: { framework: 'node' } });
    expect(asServer.built.server).toEqual({
      command: ['sh', '-c', 'PATH="$PWD/node_modules/.bin:$PATH"; greet'],
      directory: '',
    });
    expect(asServer.links['node_modules/.bin/greet']).toBe('../greeting/bin.js');
  });
});

describe('egress of a build', () => {
  it('connects to the address that was checked, also when DNS changes', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'egress-'));
    let connections = 0;
    const { server, port } = await listen((_request, response) => {
      connections += 1;
      response.end();
    });
    const refused: string[] = [];
    const answers = [['10.0.0.1', '::ffff:127.0.0.2'], [HOST], ['169.254.169.254']];
    const proxy = await EgressProxy.listen({
      directory,
      policy: { hosts: ['rebinding.example.org'], trusted: [] },
      bytes: 1_000,
      refused: (target, reason) => {
        refused.push(`${target} ${reason}`);
      },
      resolve: () => Promise.resolve(answers.shift() ?? []),
    });
    const run = (target: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const child = spawn('python3', [
          '-c',
          `import socket
s = socket.socket(socket.AF_UNIX)
s.connect('${directory}/proxy')
s.sendall(b'CONNECT ${target} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')
print(s.recv(100).decode().split('\\r')[0])`,
        ]);
        let said = '';
        child.stdout.on('data', (chunk: Buffer) => {
          said += chunk.toString();
        });
        child.once('error', reject);
        child.once('close', () => {
          resolve(said.trim());
        });
      });
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await run('rebinding.example.org:443')).toBe('HTTP/1.1 403 Forbidden');
    expect(await run('rebinding.example.org:443')).toBe('HTTP/1.1 502 Bad Gateway');
    expect(await run(`rebinding.example.org:${port}`)).toBe('HTTP/1.1 403 Forbidden');
    expect(refused).toEqual(['rebinding.example.org:443 not_public', `rebinding.example.org:${port} not_allowed`]);
    expect(connections).toBe(0);
    await proxy.close();
    server.close();
    rmSync(directory, { recursive: true });
  });
});
