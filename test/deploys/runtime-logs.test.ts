import { Service } from '../../client/src/index.js';
import { AppLogStore, type NewAppLogLine } from '../../src/modules/hosting/persistence/app-log.store.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { visit } from '../support/hosting.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const SECRET = 'a-secret-of-the-project';
const ABSENT = 'dpl_00000000000000000000000000';
const LONG = 30_000;

/** Prints one line of each kind for each request. */
const SERVER = `
console.log('listening with ' + process.env.TOKEN);
require('node:http').createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://app');
  console.log('asked for ' + pathname);
  console.error('careful');
  console.log(JSON.stringify({ level: 'warn', token: process.env.TOKEN }));
  response.end('done');
}).listen(process.env.PORT);`;

describe('GET /api/v1/projects/:id/runtime-logs', () => {
  const app = useApp();
  const make = new Make(app);
  const builds = new FakeBuilds(app);
  let ada: Person;
  let key: string;
  let project: string;
  let deploy: string;
  let label: string;

  beforeAll(async () => {
    ada = await make.person({ plan: 'enterprise' });
    key = await make.key(ada);
    project = await newProject();
    await send(
      app,
      ['PUT', `/api/v1/projects/${project}/env`],
      { variables: [{ name: 'TOKEN', value: SECRET, targets: ['preview', 'production'] }] },
      as(key),
    );
  });

  const newProject = async (by = key): Promise<string> =>
    expectStatus(
      201,
      await app.post(
        '/api/v1/projects',
        { name: uniqueName('shop'), repo_url: 'https://github.com/acme/shop' },
        as(by),
      ),
    ).body.data.id as string;
  const deployed = async (): Promise<any> => {
    builds.kind = 'server';
    builds.files = { 'server.js': SERVER };
    const { id } = expectStatus(202, await app.post(`/api/v1/projects/${project}/deploys`, { force: true }, as(key)))
      .body.data;
    const get = async (): Promise<any> => (await app.fetch(`/api/v1/deploys/${id}`, as(key))).body.data;
    await eventually(async () => (await get()).finished_at !== undefined, 'the deploy is over', LONG);
    return get();
  };
  const read = (query = '', by = key, id = project): Promise<Answer> =>
    app.fetch(`/api/v1/projects/${id}/runtime-logs${query}`, as(by));
  const linesOf = ({ text }: Answer): any[] =>
    text
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];

  it('returns the lines of a server with levels and masked secrets, and where to go on', async () => {
    const ready = await deployed();
    expect(ready).toMatchObject({ state: 'ready' });
    deploy = ready.id;
    label = new URL(ready.url).hostname.split('.')[0]!;
    expect((await visit(app, label, '/one')).text).toBe('done');
    await eventually(async () => (await read()).text.includes('asked for /one'), 'the lines are there', LONG);

    const answer = await read();
    expect(answer.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    const all = linesOf(answer);
    const end = all.pop();
    expect(all.map(({ level, stream, text }) => `${level} ${stream} ${text}`)).toEqual(
      expect.arrayContaining([
        'info stdout listening with [secret]',
        'info stdout asked for /one',
        'error stderr careful',
        'warn stdout {"level":"warn","token":"[secret]"}',
      ]),
    );
    expect(answer.text).not.toContain(SECRET);
    expect(all[0]).toEqual({
      seq: expect.any(Number),
      time: expect.stringMatching(/Z$/),
      deploy_id: deploy,
      level: 'info',
      stream: 'stdout',
      text: 'listening with [secret]',
    });
    expect(end).toEqual({ end: { after: all.at(-1).seq, more: false } });
  });

  it('pages through the lines without gaps or repetitions', async () => {
    const all = linesOf(await read()).slice(0, -1);
    const paged: any[] = [];
    for (let after = 0, more = true; more;) {
      const page = linesOf(await read(`?after=${after}&limit=2`));
      ({ after, more } = page.pop().end);
      paged.push(...page);
    }
    expect(paged).toEqual(all);
    expect(linesOf(await read('?limit=1'))[0]).toEqual(all.at(-1));
    expect(linesOf(await read(`?after=${all.at(-1).seq}`))).toEqual([{ end: { after: all.at(-1).seq, more: false } }]);
  });

  it('filters by level and by deploy', async () => {
    const levels = linesOf(await read('?level=error,warn')).slice(0, -1);
    expect(new Set(levels.map(({ level }) => level))).toEqual(new Set(['error', 'warn']));
    const other = await deployed();
    await eventually(async () => (await read(`?deploy=${other.id}`)).text.includes('listening'), 'it prints', LONG);
    const [ofOther, ofAll] = [linesOf(await read(`?deploy=${other.id}`)), linesOf(await read())];
    expect(new Set(ofOther.slice(0, -1).map(({ deploy_id }) => deploy_id))).toEqual(new Set([other.id]));
    expect(new Set(ofAll.slice(0, -1).map(({ deploy_id }) => deploy_id))).toEqual(new Set([deploy, other.id]));
  });

  it('streams new lines as events, and resumes after Last-Event-ID', async () => {
    const last = linesOf(await read('?limit=1'))[0].seq as number;
    const hangUp = new AbortController();
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream', 'last-event-id': String(last) };
    const response = await fetch(`${app.url}/api/v1/projects/${project}/runtime-logs?deploy=${deploy}`, {
      headers,
      signal: hangUp.signal,
    });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    await visit(app, label, '/live');
    let text = '';
    while (!text.includes('asked for /live')) text += (await reader.read()).value ?? '';
    hangUp.abort();
    expect(text).toMatch(/^retry: 1000\n\nid: \d+\nevent: line\ndata: \{"seq":/);
    expect(text).not.toContain('/one');
  });

  it('shows lines that another process writes, in the order of their numbers', async () => {
    const store = app.get(AppLogStore);
    const lines = (from: string): NewAppLogLine[] =>
      Array.from({ length: 20 }, (_, index) => ({
        deployId: deploy,
        at: new Date(),
        stream: 'stdout',
        level: 'info',
        text: `${from} ${index}`,
      }));
    const last = linesOf(await read('?limit=1'))[0].seq as number;
    const service = new Service({ apiKey: key, baseUrl: app.url });
    const hangUp = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      const options = { deploy, after: last, follow: true, signal: hangUp.signal };
      for await (const { text } of service.projects.runtimeLogs(project, options)) {
        seen.push(text);
        if (seen.length === 200) hangUp.abort(new Error('enough'));
      }
    })();
    const writing = Promise.all(Array.from({ length: 10 }, (_, writer) => store.add(lines(`writer ${writer}`), 2_000)));
    await expect(following).rejects.toThrow('enough');
    await writing;
    expect(new Set(seen).size).toBe(200);
  });

  it('is read by the client library, also without following', async () => {
    const service = new Service({ apiKey: key, baseUrl: app.url });
    const texts: string[] = [];
    for await (const { text } of service.projects.runtimeLogs(project, { levels: ['error'], limit: 1 }))
      texts.push(text);
    expect(texts).toEqual(['careful']);
    await expect(service.projects.runtimeLogs('nowhere').next()).rejects.toMatchObject({ code: 'project_not_found' });
  });

  it.each(['level=loud', 'level=', 'after=-1', 'after=x', 'limit=0', 'limit=1001', 'follow=maybe', 'surprise=1'])(
    'returns 400 for %s',
    async (query) => {
      expect(codeOf(await read(`?${query}`))).toEqual([400, 'invalid_request']);
    },
  );

  it('returns 400 for a Last-Event-ID that is no number', async () => {
    const answer = await app.fetch(
      `/api/v1/projects/${project}/runtime-logs`,
      as(key, { headers: { 'last-event-id': 'x' } }),
    );
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
  });

  it('returns 401, 403 and 404, also to another tenant and for the deploys of another project', async () => {
    expect((await app.fetch(`/api/v1/projects/${project}/runtime-logs`)).status).toBe(401);
    const narrow = await make.key(ada, { scopes: ['projects:read'] });
    expect(codeOf(await read('', narrow))).toEqual([403, 'insufficient_scopes']);
    const other = await make.key(await make.person());
    expect(codeOf(await read('', other))).toEqual([404, 'project_not_found']);
    const theirs = await newProject(other);
    expect(codeOf(await read(`?deploy=${deploy}`, other, theirs))).toEqual([404, 'deploy_not_found']);
    expect(codeOf(await read(`?deploy=${deploy}`, key, await newProject()))).toEqual([404, 'deploy_not_found']);
    expect(codeOf(await read(`?deploy=${ABSENT}`))).toEqual([404, 'deploy_not_found']);
  });
});
