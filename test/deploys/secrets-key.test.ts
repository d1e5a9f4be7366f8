import { DiscoveryService } from '@nestjs/core';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeployVariablesService } from '../../src/modules/deploys/requests/deploy-variables.service.js';
import { ProjectEnvService } from '../../src/modules/projects/project-env.service.js';
import { EncryptedTable } from '../../src/platform/secrets/reencryption.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { as, expectStatus, Make, send, uniqueName } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(60_000);

const OLD = 'o'.repeat(40);
const NEW = 'n'.repeat(40);
/** What the next start of the service has. */
const settings = { SECRETS_KEY: `1:${OLD}`, SANDBOX_ENABLED: 'false' };
const app = useApp(settings);
const make = new Make(app);
new FakeBuilds(app);

const QUERY = /```sql\n([^`]+)```/.exec(readFileSync(join(PROJECT_ROOT, 'docs/operations/secrets.md'), 'utf8'))![1]!;
const PLACES = [...QUERY.matchAll(/SELECT '(\w+)'/g)].map(([, place]) => place!);

const counts = (): Promise<{ place: string; version: number; count: string }[]> => make.sql(QUERY);
const versions = async (): Promise<{ version: number; count: number }[]> => {
  const found = new Map<number, number>();
  for (const { place, version, count } of await counts())
    if (place === 'project_env' || place === 'deploy_environments')
      found.set(version, (found.get(version) ?? 0) + Number(count));
  return [...found].sort(([one], [other]) => one - other).map(([version, count]) => ({ version, count }));
};
const startWith = async (secretsKey: string): Promise<void> => {
  settings.SECRETS_KEY = secretsKey;
  await app.restart();
};
const reencrypt = (): Promise<unknown> => app.runSchedule('re-encryption');

describe('changing SECRETS_KEY', () => {
  it('is documented with a query that counts each table with encrypted values', () => {
    const tables = new Set(
      app
        .get(DiscoveryService)
        .getProviders()
        .map(({ instance }) => instance as unknown)
        .filter((instance) => instance instanceof EncryptedTable),
    );
    expect(new Set(PLACES).size).toBe(tables.size);
    expect(tables.size).toBeGreaterThan(5);
  });

  it('re-encrypts every value, so that the old key is no longer needed', async () => {
    const key = await make.key(await make.person({ plan: 'pro' }));
    const newProject = async (): Promise<string> =>
      expectStatus(
        201,
        await app.post(
          '/api/v1/projects',
          { name: uniqueName('shop'), repo_url: 'https://github.com/acme/shop' },
          as(key),
        ),
      ).body.data.id as string;
    const [project, other] = [await newProject(), await newProject()];
    const variables = [
      { name: 'TOKEN', value: 'hunter2-of-the-tests', targets: ['production', 'preview'] },
      { name: 'MODE', value: 'fast', targets: ['preview'], secret: false },
    ];
    for (const id of [project, other])
      expectStatus(200, await send(app, ['PUT', `/api/v1/projects/${id}/env`], { variables }, as(key)));
    const { id } = expectStatus(202, await app.post(`/api/v1/projects/${project}/deploys`, {}, as(key))).body.data;
    await eventually(
      async () => (await app.fetch(`/api/v1/deploys/${id}`, as(key))).body.data.finished_at !== undefined,
      'the deploy is over',
      30_000,
    );
    expect(await versions()).toEqual([{ version: 1, count: 8 }]);
    const before = (await app.fetch(`/api/v1/projects/${project}/env`, as(key))).body.data;
    const { CRON_SECRET: cronSecret } = await app.get(DeployVariablesService).of(id as string);

    await startWith(`2:${NEW},1:${OLD}`);
    // A server that runs since then has the secret of the old key.
    const mask = await app.get(DeployVariablesService).maskOf(id as string);
    expect(mask(`authorization: ${cronSecret!}`)).not.toContain(cronSecret);
    await reencrypt();
    expect(await versions()).toEqual([{ version: 2, count: 8 }]);

    await startWith(`2:${NEW}`);
    expect((await app.fetch(`/api/v1/projects/${project}/env`, as(key))).body.data).toEqual(before);
    const env = app.get(ProjectEnvService);
    expect(env.open(other, 'preview', await env.sealedFor(other, 'preview'))).toEqual([
      { name: 'MODE', value: 'fast', secret: false },
      { name: 'TOKEN', value: 'hunter2-of-the-tests', secret: true },
    ]);
    expect(await app.get(DeployVariablesService).of(id)).toMatchObject({ MODE: 'fast', TOKEN: 'hunter2-of-the-tests' });
  });

  it('skips and reports values that no key can decrypt', async () => {
    const [{ broken }] = (await make.sql<{ broken: string }>('SELECT min(project_id) AS broken FROM project_env')) as [
      { broken: string },
    ];
    await make.sql("UPDATE project_env SET value = set_byte(value, 3, 9) WHERE name = 'MODE' AND project_id = $1", [
      broken,
    ]);
    await startWith(`3:${OLD},2:${NEW}`);
    await reencrypt();
    expect(await versions()).toEqual([
      { version: 2, count: 1 },
      { version: 3, count: 6 },
      { version: 9, count: 1 },
    ]);
    expect(app.log().filter(({ level, projectId }) => level === 'warn' && projectId === broken)).toHaveLength(1);
  });
});
