import { DeployEnvironment } from '../../src/modules/hosting/deploy-environment.js';
import { deploy, visit } from '../support/hosting.js';
import { useApp } from '../support/test-app.js';
import { Workbench } from './workbench.js';

const json = (value: unknown): string => JSON.stringify(value);

/** Lays packages out as pnpm does: each beside its own dependencies, and linked to where it is needed. */
const INSTALL = `
const fs = require('fs'), path = require('path');
const write = (file, text) => { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, text); };
const link = (to, at) => { fs.mkdirSync(path.dirname(at), { recursive: true }); fs.symlinkSync(to, at); };
const store = 'node_modules/.pnpm';
write(store + '/greet@1.0.0/node_modules/greet/index.js', "module.exports = 'hello ' + require('subject')");
write(
  store + '/greet@1.0.0/node_modules/greet/bin.js',
  '#!/usr/bin/env node\\nrequire("../../../../../apps/web/server.js")',
);
fs.chmodSync(store + '/greet@1.0.0/node_modules/greet/bin.js', 0o755);
write(store + '/subject@2.0.0/node_modules/subject/index.js', "module.exports = 'to the siblings'");
link('../../subject@2.0.0/node_modules/subject', store + '/greet@1.0.0/node_modules/subject');
link('../../../node_modules/.pnpm/greet@1.0.0/node_modules/greet', 'apps/web/node_modules/greet');
link(process.cwd() + '/packages/ours', 'apps/web/node_modules/@acme/ours');
link('../greet/bin.js', 'apps/web/node_modules/.bin/start-it');
link('../../outside', 'apps/web/node_modules/gone');
link('/etc/passwd', 'apps/web/node_modules/passwd');
link('.', 'apps/web/loop');
link('../apps/web/loop', 'packages/again');
`;

const SERVER = `
const http = require('node:http');
http.createServer((request, response) => response.end(
  [require('greet'), require('@acme/ours'), typeof require('./loop/loop/loop/package.json')].join(' | ')
)).listen(process.env.PORT, process.env.HOSTNAME);
`;

describe('a server in a workspace of pnpm', () => {
  const app = useApp();
  const bench = new Workbench();
  afterAll(() => bench.close());

  it('finds its packages and those of the workspace by their links', async () => {
    jest.spyOn(app.get(DeployEnvironment), 'of').mockResolvedValue({});
    jest.spyOn(app.get(DeployEnvironment), 'servicesOf').mockResolvedValue([]);
    const repository = bench.repository({
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
      'pnpm-workspace.yaml': 'packages: [apps/*, packages/*]\n',
      'install.cjs': INSTALL,
      'packages/ours/index.js': "module.exports = 'and ours'",
      'apps/web/package.json': json({ scripts: { start: 'start-it' } }),
      'apps/web/server.js': SERVER,
    });
    const settings = { rootDirectory: 'apps/web', framework: 'node', installCommand: 'cd ../.. && node install.cjs' };
    const { links, log } = await bench.build(repository, { settings });
    expect(links).toEqual({
      'apps/web/loop': '.',
      'apps/web/node_modules/.bin/start-it': '../../../../node_modules/.pnpm/greet@1.0.0/node_modules/greet/bin.js',
      'apps/web/node_modules/@acme/ours': '../../../../packages/ours',
      'apps/web/node_modules/greet': '../../../node_modules/.pnpm/greet@1.0.0/node_modules/greet',
      'node_modules/.pnpm/greet@1.0.0/node_modules/subject': '../../subject@2.0.0/node_modules/subject',
      'packages/again': '../apps/web',
    });
    expect(log.join('\n')).toContain('system: apps/web/node_modules/gone was left out');
    expect(log.join('\n')).toContain('system: apps/web/node_modules/passwd was left out');

    const built = await bench.start(bench.request(repository, { settings }));
    try {
      const { label } = await deploy(app, built);
      expect(await visit(app, label, '/')).toMatchObject({
        status: 200,
        text: 'hello to the siblings | and ours | object',
      });
    } finally {
      await built.close({ keepCaches: false });
    }
  });
});

describe('files that visitors receive', () => {
  const bench = new Workbench();
  afterAll(() => bench.close());

  it('are copies of what their links lead to, and never files of the server', async () => {
    const make = (file: string): string => `mkdir -p ${file.slice(0, file.lastIndexOf('/'))} && echo ${file} > ${file}`;
    const { files, links, log } = await bench.build(
      {
        'package.json': json({ scripts: { build: 'sh build.sh' } }),
        'public/robots.txt': 'none',
        'public/deep/page.html': 'a page',
        'public/same.txt': { link: 'robots.txt' },
        'public/again': { link: 'deep' },
        'public/server.txt': { link: '../server-code.js' },
        'public/all': { link: '..' },
        'public/passwd': { link: '/etc/passwd' },
        'server-code.js': 'secret',
        'build.sh': [
          make('.next/standalone/server.js'),
          make('.next/standalone/node_modules/.pnpm/a/a.js'),
          make('.next/static/chunks/a-1.js'),
          'ln -s .pnpm/a .next/standalone/node_modules/a',
          'ln -s ../../standalone/server.js .next/static/chunks/server.js',
        ].join('\n'),
      },
      { settings: { framework: 'nextjs' } },
    );
    expect(Object.keys(files).sort()).toEqual([
      '.next/static/chunks/a-1.js',
      'node_modules/.pnpm/a/a.js',
      'public/again/page.html',
      'public/deep/page.html',
      'public/robots.txt',
      'public/same.txt',
      'server.js',
    ]);
    expect(links).toEqual({ 'node_modules/a': '.pnpm/a' });
    for (const name of ['server.txt', 'all', 'passwd'])
      expect(log.join('\n')).toContain(`system: public/${name} was left out: it leads out of public.`);
  });
});
