import { once } from 'node:events';
import dns from 'node:dns/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { TestHosts } from '../support/test-hosts.js';
import { Workbench } from './workbench.js';

/**
 * Asks the proxy for each address of its arguments, in the form of plain HTTP, and prints what came of it. The exit
 * status is the number of failures.
 */
const ASK = `
const http = require('node:http');
const proxy = new URL(process.env.http_proxy);
const ask = (url) => new Promise((resolve) => {
  const to = { host: proxy.hostname, port: proxy.port, path: url, headers: { host: new URL(url).host } };
  http.get(to, (answer) => {
    let text = '';
    answer.on('data', (part) => { text += part; }).on('end', () => resolve(answer.statusCode + ' ' + text));
  }).on('error', () => resolve('failed'));
});
const fetched = (url) =>
  fetch(url).then(async (answer) => answer.status + ' ' + (await answer.text()), () => 'failed');
Promise.all(process.argv.slice(2).map(async (url) => {
  const answer = await (url.endsWith('#fetch') ? fetched(url) : ask(url));
  console.log('asked ' + url + ': ' + answer);
  return answer === '200 hello' ? 0 : 1;
})).then((failures) => { process.exitCode = failures.reduce((sum, one) => sum + one, 0); });
`;

(TestHosts.obstacle === undefined ? describe : describe.skip)('a build that needs a host of the internet', () => {
  let bench: Workbench;
  let hosts: TestHosts;
  let server: Server;

  beforeAll(async () => {
    bench = new Workbench();
    hosts = await TestHosts.start([443]);
    server = createServer((_request, response) => response.end('hello')).listen(join(bench.directory, 'http'));
    await once(server, 'listening');
    await hosts.serve(80, join(bench.directory, 'http'));
    const addresses: Readonly<Record<string, string>> = {
      'public.test': hosts.publicAddress,
      'inside.test': hosts.innerAddresses[0]!,
      'loopback.test': '127.0.0.1',
    };
    jest.spyOn(dns, 'lookup').mockImplementation((name: string): any => {
      const address = addresses[name];
      return address === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve([{ address, family: 4 }]);
    });
  });

  afterAll(async () => {
    jest.restoreAllMocks();
    server.close();
    await hosts.stop();
    await bench.close();
  });

  const files = (installs: string, builds: string): Record<string, string> => ({
    'package.json': JSON.stringify({
      scripts: {
        postinstall: `node ask.js ${installs}`,
        build: `node ask.js ${builds}; status=$?; mkdir dist && echo made > dist/index.html; exit $status`,
      },
      dependencies: {},
    }),
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, requires: true, packages: { '': {} } }),
    'ask.js': ASK,
  });

  it('reaches it with build_network: open, in both commands, and its log names it once', async () => {
    const { files: made, log } = await bench.build(
      files('http://public.test/', "http://public.test/x 'http://public.test/y#fetch'"),
      {
        settings: { network: 'open', framework: 'static' },
      },
    );
    expect(made).toEqual({ 'index.html': 'made\n' });
    expect(log).toEqual(
      expect.arrayContaining([
        'stdout: asked http://public.test/: 200 hello',
        'stdout: asked http://public.test/x: 200 hello',
        'stdout: asked http://public.test/y#fetch: 200 hello',
      ]),
    );
    expect(log.filter((line) => line === 'system: The build connected to public.test:80.')).toHaveLength(1);
  });

  it('is refused without the setting, which the error names', async () => {
    await expect(
      bench.build(files('http://public.test/', ''), { settings: { framework: 'static' } }),
    ).rejects.toMatchObject({
      code: 'install_failed',
      message: expect.stringMatching(/public\.test:80.* set build_network to open/),
    });
    await expect(
      bench.build(files('', 'http://public.test/'), { settings: { framework: 'static' } }),
    ).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringMatching(/public\.test:80.* set build_network to open/),
    });
    expect(bench.log).toContain(
      'system: The network refused public.test:80: a build may only go to package registries.',
    );
  });

  it.each(['open', 'registries'] as const)('reaches nothing inside with build_network: %s', async (network) => {
    hosts.reached.length = 0;
    const addresses = [
      'http://inside.test/',
      'http://loopback.test/',
      'http://inside.test/#fetch',
      'http://loopback.test/#fetch',
      'https://inside.test/',
      ...hosts.innerAddresses.map((address) => `http://${address.includes(':') ? `[${address}]` : address}/`),
      `https://${hosts.publicAddress}/`,
    ];
    await expect(
      bench.build(files('', addresses.map((each) => `'${each}'`).join(' ')), {
        settings: { network, framework: 'static' },
      }),
    ).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringContaining(`exited with ${addresses.length}`),
    });
    expect(hosts.reached).toEqual([]);
    expect(bench.log.some((line) => line.includes('The build connected to'))).toBe(false);
  });
});
