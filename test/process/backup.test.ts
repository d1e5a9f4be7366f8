import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '../support/embedded-servers.js';
import { GitClient } from '../support/git-client.js';
import { onThisMachine } from '../support/patience.js';
import { makeMemoryDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { type Ended, type HttpAnswer, ServiceProcess } from '../support/service-process.js';
import { createTestDatabase } from '../support/test-database.js';

jest.setTimeout(onThisMachine(180_000));

const PASSPHRASE = 'correct horse battery staple';

const START = join(__dirname, '../../scripts/start.mjs');

describe('backing up and restoring', () => {
  const scratch = makeMemoryDirectory();
  const place = (name: string): string => join(scratch, name);
  const git = new GitClient();

  afterAll(async () => {
    await ServiceProcess.killAll();
    git.remove();
    for (const name of readdirSync(scratch).filter((entry) => entry.startsWith('data')))
      removeScratchDirectory(place(name));
    removeScratchDirectory(scratch);
  });

  const start = (dataDir: string): Promise<ServiceProcess> =>
    // Other tests want the same processors: a Redis that is late because of them refuses no one here.
    ServiceProcess.start({
      env: { DATA_DIR: dataDir, DRAIN_DELAY_MS: '0', REDIS_TIMEOUT_MS: '2000', SANDBOX_ENABLED: 'false' },
    });
  const run = (role: 'backup' | 'restore', directory: string, env: Record<string, string>): Promise<Ended> =>
    ServiceProcess.run({ command: [process.execPath, START, role, directory], env });
  const call = async (
    service: ServiceProcess,
    path: string,
    { body, token }: { body?: object; token?: string } = {},
  ): Promise<HttpAnswer> => {
    const answer = await fetch(service.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  const page = async (service: ServiceProcess, url: string): Promise<string> =>
    text(
      await new Promise((resolve, reject) => {
        get(`http://127.0.0.1:${service.appsPort}`, { headers: { host: new URL(url).host } }, resolve).once(
          'error',
          reject,
        );
      }),
    );
  const dataOf = (directory: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(join(directory, 'database')).map((name) => [
        name,
        readFileSync(join(directory, 'database', name), 'utf8'),
      ]),
    );
  /** All but the tables of project databases, whose data gets new hosts. */
  const othersOf = (directory: string): Record<string, string> =>
    Object.fromEntries(Object.entries(dataOf(directory)).filter(([name]) => !name.startsWith('database')));
  const databaseIsReady = (service: ServiceProcess, id: string, token: string): Promise<void> =>
    until(
      'the database is ready',
      async () => (await call(service, `/api/v1/databases/${id}`, { token })).body.data.state === 'ready',
      60_000,
    );
  const query = async (
    service: ServiceProcess,
    id: string,
    { token, sql }: { token: string; sql: string },
  ): Promise<unknown> => {
    const answer = await call(service, `/api/v1/databases/${id}/query`, { token, body: { sql, access: 'write' } });
    expect(answer.status).toBe(200);
    return answer.body.data.rows;
  };
  const filesBelow = (directory: string): string[] =>
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  const contentOf = (directory: string): string[] =>
    filesBelow(directory).map((file) => `${relative(directory, file)} ${readFileSync(file, 'latin1')}`);
  /** Something of each kind of file that a backup has. */
  const plaintexts = (): string[] => [
    'ada@example.org',
    'refs/heads/main',
    'correct horse',
    ...['api-key-pepper', 'secrets-key'].map((name) =>
      readFileSync(join(place('data-1'), 'secrets', name), 'utf8').trim(),
    ),
  ];
  const seenIn = (directory: string): string[] => {
    const content = contentOf(directory).join('');
    return plaintexts().filter((text) => content.includes(text));
  };

  it('moves a running service to another machine: accounts, keys, repositories, sites and data', async () => {
    const service = await start(place('data-1'));
    const {
      body: { data: person },
    } = await call(service, '/api/v1/auth/sign-up', {
      body: { username: 'ada', email: 'ada@example.org', password: 'correct horse battery' },
    });
    const {
      body: {
        data: { secret: key },
      },
    } = await call(service, '/api/v1/keys', {
      token: person.session_token,
      body: { name: 'all', kind: 'personal', scopes: ['*'] },
    });
    const {
      body: { data: repository },
    } = await call(service, '/api/v1/repositories', { token: key, body: { name: 'site' } });
    const {
      body: { data: project },
    } = await call(service, '/api/v1/projects', { token: key, body: { name: 'Site', repo_url: repository.repo_url } });
    const remote = (at: ServiceProcess): string =>
      at.url.replace('//', `//ada:${key}@`) + new URL(repository.repo_url).pathname;
    await git.run(['init', '--quiet', '-b', 'main', 'site']);
    writeFileSync(git.path('site', 'index.html'), '<h1>It is live.</h1>');
    await git.run(['add', '.'], { cwd: 'site' });
    await git.run(['commit', '--quiet', '-m', 'First page'], { cwd: 'site' });
    await git.run(['push', '--quiet', remote(service), 'main'], { cwd: 'site' });
    const deploys = `/api/v1/projects/${project.id}/deploys`;
    await until(
      'the site is live',
      async () => (await call(service, deploys, { token: key })).body.data[0]?.state === 'ready',
      60_000,
    );
    const {
      body: {
        data: [deploy],
      },
    } = await call(service, deploys, { token: key });
    expect(await page(service, deploy.url)).toContain('It is live.');

    const {
      body: { data: database },
    } = await call(service, '/api/v1/databases', { token: key, body: { name: 'shop' } });
    await databaseIsReady(service, database.id, key);
    await query(service, database.id, { token: key, sql: 'CREATE TABLE marks AS SELECT 42 AS n' });

    const {
      body: { data: bucket },
    } = await call(service, '/api/v1/storage/buckets', { token: key, body: { name: 'files' } });
    const object = `/api/v1/storage/buckets/${bucket.id}/objects/a/photo.bin`;
    const photo = randomBytes(300_000);
    const put = { method: 'PUT', headers: { authorization: `Bearer ${key}` }, body: photo };
    expect((await fetch(service.url + object, put)).status).toBeLessThan(300);

    const made = await run('backup', place('backup-1'), { DATA_DIR: place('data-1') });
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(
          '^Backed up to .*\\d+ tables with \\d+ rows.*\\n' +
            'The backup is NOT ENCRYPTED and holds the secrets of the service.*BACKUP_PASSPHRASE',
        ),
      ),
    });
    // The backup contains all secrets, so only its owner may read it.
    expect([place('backup-1'), join(place('backup-1'), 'secrets')].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o700, 0o700,
    ]);
    expect(existsSync(`${place('backup-1')}.unfinished`)).toBe(false);
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });

    const restored = await run('restore', place('backup-1'), { DATA_DIR: place('data-2') });
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Restored the backup of /) });
    expect(
      await run('backup', place('encrypted'), { DATA_DIR: place('data-2'), BACKUP_PASSPHRASE: PASSPHRASE }),
    ).toMatchObject({ code: 0, stdout: expect.stringContaining('The backup is encrypted with BACKUP_PASSPHRASE') });
    // The backup of a stopped service equals the first one, row for row.
    expect(await run('backup', place('backup-2'), { DATA_DIR: place('data-2') })).toMatchObject({ code: 0 });
    expect(othersOf(place('backup-2'))).toEqual(othersOf(place('backup-1')));
    expect(Object.values(dataOf(place('backup-1'))).filter((rows) => rows !== '').length).toBeGreaterThan(10);

    const other = await start(place('data-2'));
    expect(await call(other, `/api/v1/projects/${project.id}`, { token: key })).toMatchObject({
      status: 200,
      body: { data: { name: 'Site' } },
    });
    expect(await page(other, deploy.url)).toContain('It is live.');
    // A project database comes back from its own backups, with what was written before this one.
    await databaseIsReady(other, database.id, key);
    expect(await query(other, database.id, { token: key, sql: 'SELECT n FROM marks' })).toEqual([[42]]);
    // Objects come back byte by byte.
    const back = await fetch(other.url + object, { headers: { authorization: `Bearer ${key}` } });
    expect(Buffer.from(await back.arrayBuffer()).equals(photo)).toBe(true);
    await git.run(['clone', '--quiet', remote(other), 'clone']);
    expect(readFileSync(git.path('clone', 'index.html'), 'utf8')).toBe('<h1>It is live.</h1>');
    // It goes on from there: the same repository takes a push, and the next deploy is the second.
    await git.run(['commit', '--quiet', '--allow-empty', '-m', 'Again'], { cwd: 'site' });
    await git.run(['push', '--quiet', remote(other), 'main'], { cwd: 'site' });
    await until(
      'it is deployed',
      async () => (await call(other, deploys, { token: key })).body.data.length === 2,
      30_000,
    );
    other.signal('SIGTERM');
    expect(await other.ended).toMatchObject({ code: 0 });
  });

  it('encrypts with a passphrase, and restores with that only', async () => {
    const content = plaintexts().filter((text) => text !== 'correct horse');
    expect(seenIn(place('backup-1'))).toEqual(content);
    expect(seenIn(place('encrypted'))).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(place('encrypted'), 'manifest.json'), 'utf8')) as {
      files: { path: string }[];
    };
    expect(filesBelow(place('encrypted'))).toEqual(
      [...manifest.files.map(({ path }) => path), 'manifest.json'].map((path) => join(place('encrypted'), path)).sort(),
    );

    const refusals: [string, Record<string, string>][] = [
      ['The backup is encrypted. Set BACKUP_PASSPHRASE', {}],
      ['BACKUP_PASSPHRASE is not the passphrase that', { BACKUP_PASSPHRASE: 'incorrect horse battery' }],
    ];
    for (const [message, env] of refusals) {
      const refused = await run('restore', place('encrypted'), { DATA_DIR: place('data-5'), ...env });
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
      expect(refused.stdout + refused.stderr).not.toContain('horse battery');
      expect(existsSync(place('data-5'))).toBe(false);
    }
    // Without the passphrase, the backup cannot be forged either, for example into one without accounts.
    const written = readFileSync(join(place('encrypted'), 'manifest.json'), 'utf8');
    writeFileSync(
      join(place('encrypted'), 'manifest.json'),
      JSON.stringify({ ...manifest, files: manifest.files.filter(({ path }) => !path.startsWith('secrets/')) }),
    );
    expect(
      await run('restore', place('encrypted'), { DATA_DIR: place('data-5'), BACKUP_PASSPHRASE: PASSPHRASE }),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('manifest.json is not as it was written. Nothing was restored.'),
    });
    expect(existsSync(place('data-5'))).toBe(false);
    writeFileSync(join(place('encrypted'), 'manifest.json'), written);

    expect(
      await run('restore', place('encrypted'), { DATA_DIR: place('data-5'), BACKUP_PASSPHRASE: PASSPHRASE }),
    ).toMatchObject({ code: 0 });
    for (const part of ['secrets', 'repositories', 'artifacts', 'database-backups', 'objects/blobs'])
      expect(contentOf(join(place('data-5'), part))).toEqual(contentOf(join(place('data-1'), part)));
    expect(await run('backup', place('backup-5'), { DATA_DIR: place('data-5') })).toMatchObject({ code: 0 });
    expect(othersOf(place('backup-5'))).toEqual(othersOf(place('backup-1')));
  });

  it('restores a backup of an earlier release, and reports an unencrypted one', async () => {
    const { encryption, ...manifest } = JSON.parse(
      readFileSync(join(place('backup-1'), 'manifest.json'), 'utf8'),
    ) as Record<string, unknown>;
    expect([encryption, manifest['format']]).toEqual([null, 1]);
    writeFileSync(join(place('backup-1'), 'manifest.json'), JSON.stringify(manifest));
    expect(
      await run('restore', place('backup-1'), { DATA_DIR: place('data-6'), BACKUP_PASSPHRASE: PASSPHRASE }),
    ).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The backup was NOT ENCRYPTED, though BACKUP_PASSPHRASE is set'),
    });
  });

  it('overwrites neither data nor another backup', async () => {
    expect(await run('restore', place('backup-1'), { DATA_DIR: place('data-2') })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not empty'),
    });
    expect(await run('backup', place('backup-1'), { DATA_DIR: place('data-2') })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exists already'),
    });
    const database = await createTestDatabase();
    try {
      expect(
        await run('restore', place('backup-1'), { DATA_DIR: place('data-3'), DATABASE_URL: database.url }),
      ).toMatchObject({ code: 1, stderr: expect.stringContaining('The database is not empty') });
    } finally {
      await database.drop();
    }
  });

  it('rejects damaged and foreign directories before any change', async () => {
    const manifest = JSON.parse(readFileSync(join(place('backup-2'), 'manifest.json'), 'utf8')) as {
      files: { path: string }[];
      database: { migrations: string[] };
    };
    const users = join(place('backup-2'), 'database', 'users.copy');
    const rows = readFileSync(users, 'utf8');
    writeFileSync(users, rows.replace('ada', 'eve'));
    expect(await run('restore', place('backup-2'), { DATA_DIR: place('data-4') })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('database/users.copy is not as it was written'),
    });
    expect(existsSync(place('data-4'))).toBe(false);

    writeFileSync(users, rows);
    writeFileSync(
      join(place('backup-2'), 'manifest.json'),
      JSON.stringify({
        ...manifest,
        database: { ...manifest.database, migrations: [...manifest.database.migrations, 'FromTheFuture1'] },
      }),
    );
    expect(await run('restore', place('backup-2'), { DATA_DIR: place('data-4') })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('later than this one (FromTheFuture1)'),
    });

    mkdirSync(place('nothing'));
    expect(await run('restore', place('nothing'), { DATA_DIR: place('data-4') })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not a backup'),
    });
    expect(await run('backup', place('backup-3'), { DATA_DIR: place('data-4') })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no data'),
    });
    expect(existsSync(place('backup-3'))).toBe(false);
    expect(await run('backup', '', { DATA_DIR: place('data-4') })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('npm run backup -- <directory>'),
    });
  });
});
