import { AliasesService } from '../../src/modules/hosting/aliases.service.js';
import { AppRecordsSweeper } from '../../src/modules/hosting/jobs/app-records.sweeper.js';
import { AliasesStore } from '../../src/modules/hosting/persistence/aliases.store.js';
import { AppLogStore } from '../../src/modules/hosting/persistence/app-log.store.js';
import { AppMetricsStore } from '../../src/modules/hosting/persistence/app-metrics.store.js';
import { ProtectionsService } from '../../src/modules/hosting/protections.service.js';
import type { BuiltOutput } from '../../src/modules/hosting/built-output.js';
import { Database } from '../../src/platform/database/database.js';
import { Clock } from '../../src/platform/time/clock.js';
import { built, deploy, type Deployed, giveEnvironment, type Page, point, visit } from '../support/hosting.js';
import { Make } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';

const DAY_MS = 86_400_000;
const SERVER = `
require('node:http')
  .createServer((request, response) => {
    response.setHeader('Cache-Control', 's-maxage=60, public');
    response.end(process.env.TEXT ?? require('node:fs').readFileSync('text', 'utf8') + ' ' + request.method);
  })
  .listen(process.env.PORT, process.env.HOSTNAME);
`;

/** What a build of Next.js leaves: a server, and files that are named by their content. */
const nextApp = (text: string): BuiltOutput =>
  built(
    {
      'server.js': SERVER,
      text,
      [`.next/static/chunks/${text}-0a1b2c3d.js`]: `chunk of ${text}`,
      'public/robots.txt': `robots of ${text}`,
    },
    {
      kind: 'server',
      framework: 'nextjs',
      server: { command: ['node', 'server.js'], directory: '' },
      static: [
        { directory: '.next/static', prefix: '/_next/static', immutable: true },
        { directory: 'public', prefix: '/', immutable: false },
      ],
    },
  );

/** What a bundler leaves of a single-page app. */
const page = (text: string): BuiltOutput =>
  built({
    'index.html': `page ${text}`,
    '404.html': 'not here',
    [`assets/index-${text}1a2b3c4d.js`]: `script ${text}`,
    [`assets/plain-${text}.txt`]: `plain ${text}`,
    [`private-${text}.txt`]: `private ${text}`,
  });

describe('a page whose deploy was replaced', () => {
  const app = useApp();
  let names = 0;
  let label: string;
  let projectId: string;

  beforeEach(() => {
    names++;
    label = `skew${names}`;
    projectId = `prj_skew${names}`;
  });

  const shownInTurn = async (...outputs: readonly BuiltOutput[]): Promise<Deployed[]> => {
    const deploys = [];
    for (const output of outputs) {
      const made = await deploy(app, output, { projectId });
      await point(app, label, made);
      deploys.push(made);
    }
    return deploys;
  };
  const asset = (text: string): Promise<Page> => visit(app, label, `/assets/index-${text}1a2b3c4d.js`);

  it('still finds the files that are named by their content, and no others', async () => {
    await shownInTurn(page('one'), page('two'), page('three'));
    expect(await visit(app, label)).toMatchObject({ status: 200, text: 'page three' });
    for (const text of ['one', 'two', 'three'])
      expect(await asset(text)).toMatchObject({ status: 200, text: `script ${text}` });
    expect((await asset('one')).headers['cache-control']).toContain('immutable');
    expect(await asset('none')).toMatchObject({ status: 404, text: 'not here' });
    expect(await visit(app, label, '/assets/plain-one.txt')).toMatchObject({ status: 404 });
    expect(await visit(app, label, '/private-one.txt')).toMatchObject({ status: 404 });
    expect(await visit(app, label, '/assets/index-one1a2b3c4d.js', { method: 'POST' })).toMatchObject({ status: 405 });
  });

  it('of Next.js gets the answers of its own deploy, when its requests name it', async () => {
    giveEnvironment(app);
    const [one, two] = await shownInTurn(nextApp('one'), nextApp('two'));
    expect((await visit(app, label, '/')).text).toBe('two GET');
    expect((await visit(app, label, `/_next/static/chunks/one-0a1b2c3d.js?dpl=${one!.deployId}`)).text).toBe(
      'chunk of one',
    );
    expect((await visit(app, label, '/_next/static/chunks/one-0a1b2c3d.js')).text).toBe('chunk of one');
    expect((await visit(app, label, `/robots.txt?dpl=${one!.deployId}`)).text).toBe('robots of one');

    const action = await visit(app, label, '/', { method: 'POST', headers: { 'x-deployment-id': one!.deployId } });
    expect(action.text).toBe('one POST');
    // A cache in front of the service would give it to the pages of other deploys.
    expect(action.headers['cache-control']).toBe('private');
    expect((await visit(app, label, '/', { headers: { 'x-deployment-id': two!.deployId } })).text).toBe('two GET');
  });

  it('cannot get a deploy that its host has never served', async () => {
    const hidden = await deploy(app, page('hidden'), { projectId });
    const other = await deploy(app, page('other'));
    await shownInTurn(page('one'), page('two'));
    for (const { deployId } of [hidden, other]) {
      expect((await visit(app, label, `/?dpl=${deployId}`)).text).toBe('page two');
      expect((await visit(app, label, '/', { headers: { 'x-deployment-id': deployId } })).text).toBe('page two');
    }
    for (const text of ['hidden', 'other']) expect((await asset(text)).status).toBe(404);
    for (const value of ['', '%00', "'", 'x'.repeat(1_000)])
      expect((await visit(app, label, `/?dpl=${value}`)).text).toBe('page two');
  });

  it('stays protected like the host', async () => {
    const [one] = await shownInTurn(page('one'), page('two'));
    const open = await visit(app, label, `/?dpl=${one!.deployId}`);
    expect(open).toMatchObject({ status: 200, text: 'page one' });
    await app.get(Database).transaction(() => app.get(ProtectionsService).change(projectId, { production: 'members' }));
    await eventually(
      async () => (await visit(app, label, `/?dpl=${one!.deployId}`)).status === 401,
      'the host is protected',
    );
    expect((await asset('one')).status).toBe(401);
    const challenge = '/.well-known/acme-challenge/x';
    expect((await visit(app, label, challenge, { headers: { 'x-deployment-id': one!.deployId } })).status).toBe(404);
  });

  it('is served for a day, and only as one of the last ten', async () => {
    const deploys = await shownInTurn(...Array.from({ length: 12 }, (_, index) => page(`n${index}x`)));
    expect((await visit(app, label, `/?dpl=${deploys[0]!.deployId}`)).text).toBe('page n11x');
    expect((await visit(app, label, `/?dpl=${deploys[1]!.deployId}`)).text).toBe('page n1x');

    const clock = app.get(Clock);
    const late = new Date(clock.now().getTime() + DAY_MS + 60_000);
    const now = jest.spyOn(clock, 'now').mockReturnValue(late);
    try {
      await point(app, label, deploys[11]!);
      await eventually(
        async () => (await visit(app, label, `/?dpl=${deploys[1]!.deployId}`)).text === 'page n11x',
        'deploys of the day before are not served any more',
      );
      const sweeper = new AppRecordsSweeper(
        app.get(AppMetricsStore),
        app.get(AppLogStore),
        app.get(AliasesStore),
        clock,
      );
      await sweeper.run();
      expect(await new Make(app).sql(`SELECT 1 FROM replaced_deploys WHERE label = '${label}'`)).toEqual([]);
    } finally {
      now.mockRestore();
    }
  });

  it('is gone when its deploy is deleted, and current again after a rollback', async () => {
    const [one, two] = await shownInTurn(page('one'), page('two'));
    await point(app, label, one!);
    expect((await visit(app, label)).text).toBe('page one');
    expect((await visit(app, label, `/?dpl=${two!.deployId}`)).text).toBe('page two');
    await app.get(Database).transaction(() => app.get(AliasesService).release(two!.label));
    await eventually(
      async () => (await visit(app, label, `/?dpl=${two!.deployId}`)).text === 'page one',
      'the deleted deploy is gone',
    );
    expect((await asset('two')).status).toBe(404);
  });
});
