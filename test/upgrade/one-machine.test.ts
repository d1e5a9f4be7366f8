import { join } from 'node:path';
import { until } from '../support/embedded-servers.js';
import { onThisMachine } from '../support/patience.js';
import { makeScratchDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { ServiceProcess } from '../support/service-process.js';
import { commandsOf } from './page.js';
import { build, findPreviousRelease, nodeOf } from './previous-release.js';

jest.setTimeout(onThisMachine(240_000));

const { commit, missing } = findPreviousRelease();
if (missing !== undefined) console.warn(`LEFT OUT: ${missing}`);

const ACCOUNT = { username: 'ada', email: 'ada@example.org', password: 'a sentence of ones own' };

(commit === undefined ? describe.skip : describe)('on one machine', () => {
  const directory = makeScratchDirectory();
  const previous = join(directory, 'previous');
  // Its tables and files are those of the release that made them.
  const env = { DATA_DIR: join(directory, 'data') };

  beforeAll(() => {
    build(commit!, previous);
  });
  afterAll(async () => {
    await ServiceProcess.killAll();
    removeScratchDirectory(directory);
  });

  const startPrevious = (): Promise<ServiceProcess> =>
    ServiceProcess.start({ env, command: [nodeOf(previous), join(previous, 'dist/src/main.js'), 'all'] });

  async function requireAccount(service: ServiceProcess): Promise<void> {
    const answer = await post(service, '/auth/sign-in', { login: ACCOUNT.username, password: ACCOUNT.password });
    expect(answer).toBe(200);
    // A worker that has just started may have no room yet.
    await until(
      'code runs',
      async () => (await service.sandbox('python', 'print(1 + 2)')).body.data?.stdout === '3\n',
      30_000,
    );
  }

  const post = async (service: ServiceProcess, path: string, body: object): Promise<number> =>
    (
      await fetch(`${service.url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).status;

  async function stop(service: ServiceProcess): Promise<void> {
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
  }

  it('the command of the page takes over the data, and the previous release takes it back', async () => {
    const first = await startPrevious();
    expect(await post(first, '/auth/sign-up', ACCOUNT)).toBe(201);
    await requireAccount(first);
    await stop(first);

    const [install, start] = commandsOf('one-machine');
    // Tests have begun with it.
    expect(install).toEqual(['npm', 'ci']);
    const next = await ServiceProcess.start({ env, command: start! });
    await requireAccount(next);
    await stop(next);

    const again = await startPrevious();
    await requireAccount(again);
    await stop(again);
  });
});
