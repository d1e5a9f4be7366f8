import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppServersService } from '../../src/modules/hosting/app-servers.service.js';
import { HostingSettings } from '../../src/modules/hosting/hosting.settings.js';
import { KeptFiles } from '../../src/modules/hosting/servers/kept-files.js';
import { built, deploy, type Deployed, giveEnvironment, visit } from '../support/hosting.js';
import { eventually, useApp } from '../support/test-app.js';

/** Writes where Next.js keeps pictures and the pages that it generates again. */
const SERVER = `
const fs = require('node:fs');
const places = { own: '/app/.cache/own', picture: '/app/.next/cache/images/a/b.webp',
  page: '/app/.next/server/app/index.html',
  built: '/app/.next/server/app/about.html', tree: '/app/server.js' };
const read = (path) => {
  try { return fs.readFileSync(path, 'utf8').slice(0, 40); } catch (error) { return error.code; }
};
require('node:http').createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://app');
  try {
    if (pathname === '/write') for (const name of ['own', 'picture', 'page']) {
      fs.mkdirSync(require('node:path').dirname(places[name]), { recursive: true });
      fs.writeFileSync(places[name], searchParams.get('text'));
    }
    if (pathname === '/fill') for (let index = 0; index < 60; index++)
      fs.writeFileSync('/app/.cache/' + index, Buffer.alloc(1048576, 'x'));
    if (pathname === '/link') {
      fs.symlinkSync('/etc/hostname', '/app/.cache/link');
      fs.writeFileSync('/app/.cache/-rf \\n name', 'odd');
    }
    if (pathname === '/odd') return response.end(read('/app/.cache/-rf \\n name') + ' ' + read('/app/.cache/link'));
    if (pathname === '/spoil') fs.writeFileSync('/app/server.js', '');
  } catch (error) { return response.end(error.code); }
  response.end(JSON.stringify(Object.fromEntries(Object.entries(places).map(([name, path]) => [name, read(path)]))));
}).listen(process.env.PORT, process.env.HOSTNAME);
`;

describe('what a server of Next.js writes', () => {
  const app = useApp({ APP_FREEZE_AFTER_MS: '300', APP_STOP_AFTER_MS: '60000' });
  const servers = (): AppServersService => app.get(AppServersService);

  const made = async (orgId = 'org_acme'): Promise<Deployed> => {
    giveEnvironment(app);
    return deploy(
      app,
      built(
        {
          'server.js': SERVER,
          '.next/server/app/index.html': 'index as built',
          '.next/server/app/about.html': 'about as built',
        },
        { kind: 'server', framework: 'nextjs', server: { command: ['node', 'server.js'], directory: '' }, static: [] },
      ),
      { orgId },
    );
  };
  const shown = async ({ label }: Deployed, path = '/'): Promise<any> =>
    JSON.parse((await visit(app, label, path)).text);
  const asleep = (): Promise<void> =>
    eventually(() => servers().counts.frozen === servers().counts.running + servers().counts.frozen, 'all are asleep');
  const archives = (): string[] =>
    readdirSync(app.get(HostingSettings).serversDirectory).filter((name) => name.includes('.kept.'));

  it('survives its end: pictures, pages that were generated again, and its own cache', async () => {
    const one = await made();
    const two = await made();
    expect(await shown(one)).toMatchObject({ own: 'ENOENT', page: 'index as built', built: 'about as built' });
    await shown(one, '/write?text=first');
    await asleep();
    await servers().stop(one.deployId);
    const again = { own: 'first', picture: 'first', page: 'first', built: 'about as built' };
    expect(await shown(one)).toMatchObject(again);

    // Once more, as what was put back has to be kept again.
    await asleep();
    await servers().stop(one.deployId);
    expect(await shown(one)).toMatchObject(again);
    expect((await visit(app, one.label, '/spoil')).text).toBe('EROFS');
    expect(await shown(two)).toMatchObject({ own: 'ENOENT', page: 'index as built' });
  });

  it('is an archive that the host never opens, with a limit, and goes with the files of its deploy', async () => {
    const one = await made('org_odd');
    await visit(app, one.label, '/link');
    await asleep();
    await servers().stop(one.deployId);
    // The link was not followed, and not kept.
    expect((await visit(app, one.label, '/odd')).text).toBe('odd ENOENT');
    await visit(app, one.label, '/fill');
    await asleep();
    await servers().stop(one.deployId);
    const [name] = archives().filter((each) => each.startsWith(one.deployId));
    expect(name).toBe(`${one.deployId}.kept.org_odd`);
    const { length } = readFileSync(join(app.get(HostingSettings).serversDirectory, name!));
    expect(length).toBeGreaterThan(40_000_000);
    expect(length).toBeLessThan(50_000_000);
  });
});

/** What a tutorial shows: databases by relative paths, one of them with data of the repository. */
const WITH_DATABASES = `
const fs = require('node:fs');
const { DatabaseSync } = require('node:sqlite');
fs.mkdirSync('uploads', { recursive: true });
const databases = ['./notes.db', 'data/seeded.db', 'shipped.sqlite'].map((path) => new DatabaseSync(path));
for (const database of databases) database.exec('CREATE TABLE IF NOT EXISTS notes (text TEXT)');
require('node:http').createServer((request, response) => {
  const text = new URL(request.url, 'http://app').searchParams.get('text');
  if (text !== null) {
    for (const database of databases) database.prepare('INSERT INTO notes VALUES (?)').run(text);
    fs.writeFileSync(__dirname + '/uploads/' + text, text);
  }
  response.end(JSON.stringify({
    notes: databases.map((database) => database.prepare('SELECT text FROM notes').all().map((row) => row.text)),
    uploads: fs.readdirSync('uploads'), linked: fs.readFileSync('current/text', 'utf8'),
    code: require('./lib/code.js') }));
}).listen(process.env.PORT, process.env.HOSTNAME);
`;

describe('a server with databases in files', () => {
  const app = useApp({ APP_FREEZE_AFTER_MS: '300', APP_STOP_AFTER_MS: '60000' });
  const servers = (): AppServersService => app.get(AppServersService);

  it('finds what it wrote beside its own files at its next start', async () => {
    giveEnvironment(app);
    const files = {
      'apps/api/server.js': WITH_DATABASES,
      'apps/api/lib/code.js': 'module.exports = __filename;',
      'apps/api/data/seeded.db': '',
      'apps/api/shipped.sqlite': '',
      'apps/api/texts/text': 'by a link',
    };
    const output = built(files, {
      kind: 'server',
      framework: 'node',
      server: { command: ['node', 'server.js'], directory: 'apps/api' },
      static: [],
    });
    const { label, deployId } = await deploy(app, {
      ...output,
      files: async function* () {
        yield* output.files();
        yield { path: 'apps/api/current', linkTo: 'texts' };
      },
    });
    const shown = async (path = '/'): Promise<unknown> => JSON.parse((await visit(app, label, path)).text);
    const rest = { linked: 'by a link', code: '/app/apps/api/lib/code.js' };
    expect(await shown()).toEqual({ notes: [[], [], []], uploads: [], ...rest });
    await shown('/?text=first');
    await eventually(() => servers().counts.running === 0, 'it is asleep');
    await servers().stop(deployId);
    expect(await shown()).toEqual({ notes: [['first'], ['first'], ['first']], uploads: ['first'], ...rest });
  });
});

class SmallKeptFiles extends KeptFiles {
  protected override readonly most = { ofOrg: 300, ofAll: 500 };
}

describe('the room for what servers write', () => {
  let directory: string;
  let kept: KeptFiles;
  const archive = async function* (bytes: number): AsyncGenerator<Buffer> {
    yield await Promise.resolve(Buffer.alloc(bytes));
  };
  const names = (): string[] => readdirSync(directory).sort();

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'kept-'));
    kept = new SmallKeptFiles({ serversDirectory: directory } as HostingSettings);
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it('is limited for each organization and for all, and the oldest goes first', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await kept.keep(`dpl_${name}`, 'org_one', archive(100));
    expect(names()).toEqual(['dpl_b.kept.org_one', 'dpl_c.kept.org_one', 'dpl_d.kept.org_one']);
    await kept.keep('dpl_e', 'org_two', archive(300));
    expect(names()).toEqual(['dpl_c.kept.org_one', 'dpl_d.kept.org_one', 'dpl_e.kept.org_two']);
    await kept.keep('dpl_d', 'org_one', archive(0));
    expect(await kept.of('dpl_d', 'org_one')).toBeNull();
    expect(await kept.of('dpl_c', 'org_one')).toBe(join(directory, 'dpl_c.kept.org_one'));
    expect(await kept.of('dpl_c', 'org_two')).toBeNull();
  });

  it('is not that of an archive which another call or a killed process has begun', async () => {
    await Promise.all([1, 2, 3].map(() => kept.keep('dpl_a', 'org_one', archive(100))));
    expect(names()).toEqual(['dpl_a.kept.org_one']);
    const [old, fresh] = ['dpl_a.kept.org_one.unfinished-1', 'dpl_a.kept.org_one.unfinished-2'];
    for (const name of [old, fresh]) writeFileSync(join(directory, name), 'begun');
    utimesSync(join(directory, old), 1, 1);
    await kept.keep('dpl_a', 'org_one', archive(100));
    expect(names()).toEqual(['dpl_a.kept.org_one', fresh]);
  });

  it('takes nothing that breaks off, and no other names', async () => {
    const broken = async function* (): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.alloc(10));
      throw new Error('gone');
    };
    await kept.keep('dpl_a', 'org_one', archive(100));
    await expect(kept.keep('dpl_a', 'org_one', broken())).rejects.toThrow('gone');
    await kept.keep('../x', 'org_one', archive(10));
    await kept.keep('dpl_x', '../org', archive(10));
    expect(names()).toEqual(['dpl_a.kept.org_one']);
  });
});
