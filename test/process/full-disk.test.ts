import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AcknowledgedWrites } from '../support/acknowledged-writes.js';
import { reportDrill } from '../support/drill-report.js';
import { until } from '../support/embedded-servers.js';
import { GitClient } from '../support/git-client.js';
import { onThisMachine } from '../support/patience.js';
import { makeScratchDirectory } from '../support/scratch-directory.js';
import { type HttpAnswer, ServiceProcess } from '../support/service-process.js';

jest.setTimeout(onThisMachine(300_000));

const DISK = '480m';
const CHUNK = Buffer.alloc(1_048_576, 1);
const asRoot = process.getuid?.() === 0;

/** Only root may mount a file system of a size of its own. */
const describeAsRoot = asRoot ? describe : describe.skip;
if (!asRoot) console.warn('The tests of a full disk need root, to mount a small tmpfs: they are left out.');

describeAsRoot('a service whose disk is full', () => {
  const git = new GitClient();
  let dataDir: string;
  let service: ServiceProcess;
  let writes: AcknowledgedWrites;
  let key: string | undefined;
  let page: string;
  let projectId: string;
  let acknowledgedBefore = 0;

  beforeAll(async () => {
    dataDir = makeScratchDirectory();
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=711`, 'tmpfs', dataDir]);
    service = await ServiceProcess.start({ env: { DATA_DIR: dataDir, SANDBOX_ENABLED: 'false' } });
    writes = await AcknowledgedWrites.prepare(service, dataDir);
    key = (await call('POST', '/keys', { name: 'of git' })).body.data.secret as string;
    page = await hostedPage();
    await until('the reserve is kept', () => reserveBytes() > 1_000_000, 30_000);
  });

  afterAll(async () => {
    await ServiceProcess.killAll();
    git.remove();
    execFileSync('/bin/umount', ['--lazy', dataDir]);
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function call(
    method: string,
    path: string,
    body?: object,
    token: string | undefined = key,
  ): Promise<HttpAnswer> {
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: {
        ...(token === undefined ? writes.headers : { authorization: `Bearer ${token}` }),
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: response.status === 204 ? '' : await response.json(),
    };
  }

  /** A page that a push has made. */
  async function hostedPage(): Promise<string> {
    const repository = await call('POST', '/repositories', { name: 'site' });
    expect(repository).toMatchObject({ status: 201 });
    const { repo_url: repoUrl } = repository.body.data;
    projectId = (await call('POST', '/projects', { name: 'site', repo_url: repoUrl })).body.data.id as string;
    await git.run([
      'clone',
      '--quiet',
      service.url.replace('//', `//any:${key!}@`) + new URL(repoUrl as string).pathname,
      'site',
    ]);
    await push('hello');
    let deploy: any;
    await until(
      'it is deployed',
      async () => {
        [deploy] = (await call('GET', `/projects/${projectId}/deploys`)).body.data;
        return deploy?.finished_at !== undefined;
      },
      120_000,
    );
    expect([deploy.state, deploy.error]).toEqual(['ready', undefined]);
    return deploy.url as string;
  }

  async function push(text: string): Promise<{ status: number | null; stderr: string }> {
    mkdirSync(git.path('site'), { recursive: true });
    writeFileSync(git.path('site', 'index.html'), text);
    await git.run(['add', '.'], { cwd: 'site' });
    await git.run(['commit', '--quiet', '--allow-empty', '-m', text], { cwd: 'site' });
    return git.try(['push', '--quiet', 'origin', 'HEAD:main'], { cwd: 'site' });
  }

  const ballast = (): string => join(dataDir, 'ballast');
  const reserveBytes = (): number =>
    existsSync(join(dataDir, 'reserve')) ? statSync(join(dataDir, 'reserve')).blocks * 512 : 0;
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(dataDir);
    return bavail * bsize;
  };

  /** Something else writes until so little is left; 0: until the disk takes nothing more. */
  function fillTo(leftBytes: number): void {
    try {
      while (freeBytes() > leftBytes) writeFileSync(ballast(), CHUNK, { flag: 'a' });
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
  }

  async function expectReads(): Promise<void> {
    expect((await service.get('/health')).status).toBe(200);
    expect((await call('GET', '/me')).status).toBe(200);
    expect((await call('GET', `/projects/${projectId}`)).body.data.name).toBe('site');
    expect((await call('GET', '/projects')).status).toBe(200);
    expect(await service.page(page)).toEqual({ status: 200, text: 'hello' });
  }

  const writeIsRefused = async (): Promise<boolean> => (await call('POST', '/projects', { name: 'x' })).status === 503;

  async function expectWritesRefused(): Promise<void> {
    const answer = await call('POST', '/projects', { name: 'another' });
    expect([answer.status, answer.body.error]).toEqual([
      503,
      expect.objectContaining({ type: 'api_error', code: 'storage_unavailable' }),
    ]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }

  async function expectAllWell(): Promise<void> {
    await until(
      'writes are taken again',
      async () => (await writes.attempt({ name: 'after', idempotencyKey: `after-${Date.now()}` })) !== undefined,
      20_000,
    );
    await until(
      '/ready is well',
      async () => (await service.get('/ready')).body.details.storage?.status === 'up',
      20_000,
    );
  }

  it('refuses writes before the disk is full, keeps reading, reports it, and recovers', async () => {
    writes.start();
    await until('writes are acknowledged', () => writes.acknowledged.size > 20, 30_000);
    const family = service.server('postgres').pid;
    fillTo(24 * 1_048_576);
    await until('writes are refused', () => writes.refused.some(({ code }) => code === 'storage_unavailable'), 10_000);

    await expectWritesRefused();
    await expectReads();
    const ready = await service.get('/ready');
    expect([ready.status, ready.body.details.storage.status]).toEqual([200, 'degraded']);
    expect(await service.metric('storage_writes_refused')).toBeGreaterThan(0);
    const pushed = await push('half');
    expect([pushed.status === 0, pushed.stderr.includes('Not enough storage space')]).toEqual([false, true]);
    expect(await service.page(page)).toEqual({ status: 200, text: 'hello' });

    rmSync(ballast());
    await expectAllWell();
    await writes.stop();
    expect(
      writes.refused.filter(
        ({ code, status }) =>
          !['storage_unavailable', 'idempotency_in_progress'].includes(String(code)) ||
          (status !== 503 && status !== 409),
      ),
    ).toEqual([]);
    expect(await writes.missingAndDoubled()).toEqual({ missing: [], doubled: [] });
    acknowledgedBefore = writes.acknowledged.size;
    expect(service.server('postgres').pid).toBe(family);
  });

  it('keeps reading when others fill the disk, by releasing its reserve', async () => {
    const { acknowledged } = writes;
    fillTo(0);
    await until('the reserve is given up', () => reserveBytes() === 0, 10_000);
    // Each process looks for itself, so that a metric of one of them says nothing of the others.
    await until('a write is refused', writeIsRefused, 10_000);
    for (let round = 0; round < 5; round++) {
      await expectReads();
      await expectWritesRefused();
    }
    // What makes room is taken.
    expect((await call('DELETE', `/keys/${[...acknowledged.values()][0]!}`)).status).toBe(204);

    rmSync(ballast());
    await expectAllWell();
    await until('the reserve is kept again', () => reserveBytes() > 1_000_000, 30_000);
    expect(readdirSync(join(dataDir, 'artifacts/unfinished'))).toEqual([]);
  });

  it('recovers after PostgreSQL stopped because the reserve was used up', async () => {
    fillTo(0);
    await until('the reserve is given up', () => reserveBytes() === 0, 10_000);
    fillTo(0);
    // What it cannot write any more, it cannot recover from either, until there is room.
    const killed = service.server('postgres').pid;
    process.kill(killed, 'SIGKILL');
    await until('a write is refused', writeIsRefused, 20_000);
    expect((await service.get('/health')).status).toBe(200);

    rmSync(ballast());
    await expectAllWell();
    await expectReads();
    expect(await writes.missingAndDoubled()).toMatchObject({ doubled: [] });
    reportDrill({
      drill: 'disk full',
      count: `3 times, ${acknowledgedBefore} writes`,
      figures: '0 missing, reads went on, writes 503 storage_unavailable, back without a restart',
    });
  });
});
