import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { FakeModelRouter } from '../support/fake-model-router.js';
import { as, expectStatus, Make } from '../support/make.js';
import { npmRegistry } from '../support/npm-registry.js';
import { eventually, TestApp } from '../support/test-app.js';

const LONG = 600_000;
jest.setTimeout(LONG);

const MODEL = 'fake/small';
const registry = npmRegistry();

/** Packages come from the registry, and the app calls the model with the key of its project. */
describe('the template ai-chat', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'ai-chat-'));
  chmodSync(dataDirectory, 0o711);
  const settings: NodeJS.ProcessEnv = {
    DATA_DIR: dataDirectory,
    SANDBOX_ENABLED: 'false',
    BUILD_ALLOWED_HOSTS: registry.host,
  };
  const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
  const app = new TestApp(settings, 'all');
  const make = new Make(app);
  let api: Server;

  beforeAll(async () => {
    // Apps must know where the API is before it listens.
    api = createServer((caller) => {
      const service = connect(Number(new URL(app.url).port), '127.0.0.1');
      caller.pipe(service).pipe(caller);
      for (const socket of [caller, service]) socket.on('error', () => caller.destroy());
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    settings['APPS_API_URL'] = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    await app.start();
    await app.get(PriceSyncService).run(new AbortController().signal);
  });

  afterAll(async () => {
    await app.stop();
    api.close();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it('talks with a model at the cost of its project', async () => {
    const key = await make.key(await make.person());
    const created = await app.post('/api/v1/repositories', { name: 'chat', template: 'ai-chat' }, as(key));
    const repoUrl = expectStatus(201, created).body.data.repo_url as string;
    const made = await app.post('/api/v1/projects', { name: 'Chat', repo_url: repoUrl }, as(key));
    const project = expectStatus(201, made).body.data.id as string;
    expectStatus(200, await app.call('PUT', `/api/v1/projects/${project}/model-access`, as(key)));
    const asked = await app.post(`/api/v1/projects/${project}/deploys`, {}, as(key));
    const { id } = expectStatus(202, asked).body.data;
    let deploy: any;
    await eventually(
      async () => {
        deploy = (await app.fetch(`/api/v1/deploys/${id}`, as(key))).body.data;
        return deploy.finished_at !== undefined;
      },
      'the deploy is over',
      LONG,
    );
    expect(deploy.error).toBeUndefined();

    const { host } = new URL(deploy.url as string);
    const visit = (method: string, path: string, body = ''): Promise<string> =>
      app.raw(
        `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n${body}`,
        { port: app.appsPort },
      );
    expect(await visit('GET', '/')).toContain('<!doctype html>');
    expect(await visit('GET', '/api/models')).toContain(MODEL);
    const question = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hello' }] });
    expect(await visit('POST', '/api/chat', question)).toContain('Hello');
    expect(router.calls.at(-1)!.body.messages).toEqual([{ role: 'user', content: 'Hello' }]);
    await eventually(async () => {
      const { data } = (await app.fetch(`/api/v1/ai/generations?project_id=${project}`, as(key))).body;
      return data?.length === 1 && Number(data[0].cost) > 0;
    }, 'the generation is charged to the project');
  });
});
