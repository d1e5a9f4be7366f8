import { until } from '../support/embedded-servers.js';
import { onThisMachine } from '../support/patience.js';
import { stillRunning } from '../support/processes.js';
import { makeMemoryDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { type HttpAnswer, ServiceProcess, type ServiceOptions } from '../support/service-process.js';

jest.setTimeout(onThisMachine(150_000));

const NPM_START = ['npm', 'start'];

/** The most that a stop may take, by which the service ends itself with another code. */
const STOP_WITHIN_MS = 25_000;

const start = (dataDir: string, { env, ...input }: ServiceOptions = {}): Promise<ServiceProcess> =>
  ServiceProcess.start({ ...input, env: { DATA_DIR: dataDir, ...env } });

/** Each starts on what the one before has left, as after a new release. The last two leave unfinished runs. */
describe('stopping the service', () => {
  let dataDir: string;

  beforeAll(() => {
    dataDir = makeMemoryDirectory();
  });
  afterEach(() => ServiceProcess.killAll());
  afterAll(() => {
    removeScratchDirectory(dataDir);
  });

  it('ends with `npm start` at SIGTERM after DRAIN_DELAY_MS, finishes a run, and leaves nothing', async () => {
    const service = await start(dataDir, { command: NPM_START, env: { DRAIN_DELAY_MS: '3000' } });
    const family = service.family();
    const { answer } = await service.startedRun(2);
    const from = performance.now();
    service.signal('SIGTERM');

    await until('/ready says so', async () => (await service.statusOf('/ready')) === 503, 1_000);
    const ready = await service.get('/ready');
    expect(ready).toMatchObject({ status: 503, body: { status: 'shutting_down' } });
    // Callers are asked to reconnect.
    expect(ready.headers.get('connection')).toBe('close');
    expect(await service.get('/health')).toMatchObject({ status: 200 });
    expectDone(await answer);

    expect(await service.ended).toMatchObject({ code: 0 });
    const tookMs = performance.now() - from;
    expect(tookMs).toBeGreaterThan(3_000);
    // An idle connection is kept for 65 seconds, and one that is in use for 15 of a stop.
    expect(tookMs).toBeLessThan(13_000);
    expect(stillRunning(family)).toEqual([]);
    expect(family.map(({ name }) => name)).toEqual(expect.arrayContaining(['postgres', 'redis-server']));
  });

  it('stops in order at Ctrl-C, where npm repeats the signal, and does not wait DRAIN_DELAY_MS', async () => {
    const service = await start(dataDir, { command: NPM_START, ownGroup: true, env: { DRAIN_DELAY_MS: '10000' } });
    const family = service.family();
    const { answer } = await service.startedRun(2);
    const from = performance.now();
    service.signalGroup('SIGINT');
    expectDone(await answer);
    expect(await service.ended).toMatchObject({ code: 0 });
    expect(performance.now() - from).toBeLessThan(10_000);
    expect(stillRunning(family)).toEqual([]);
  });

  it('stops in time despite open connections, long runs and endless requests', async () => {
    const service = await start(dataDir, { env: { DRAIN_DELAY_MS: '0' } });
    const family = service.family();
    const { answer } = await service.startedRun(29);
    const endless = fetch(`${service.url}/api/v1/sandbox/try`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new ReadableStream({
        start: (body) => {
          body.enqueue(new TextEncoder().encode('{'));
        },
      }),
      duplex: 'half',
    }).catch(() => undefined);

    expect(await timeOf(service, 'SIGTERM')).toBeLessThan(STOP_WITHIN_MS);
    await expect(answer).rejects.toThrow();
    await endless;
    expect(stillRunning(family)).toEqual([]);
  });

  it('stops at once at a second Ctrl-C, with its servers', async () => {
    const service = await start(dataDir);
    const family = service.family();
    const { answer } = await service.startedRun(10);
    service.signal('SIGINT');
    // The same key press may arrive twice, so that only a later one counts.
    const press = setInterval(() => {
      service.signal('SIGINT');
    }, 100);
    expect((await service.ended).code).toBe(130);
    clearInterval(press);
    await until('all are gone', () => stillRunning(family).length === 0, 3_000);
    await expect(answer).rejects.toThrow();
  });
});

describe('a service that does not come to stop in order', () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = makeMemoryDirectory();
  });
  afterEach(async () => {
    await ServiceProcess.killAll();
    removeScratchDirectory(dataDir);
  });

  it('stops during the start', async () => {
    const starting = start(dataDir, { env: { DRAIN_DELAY_MS: '0' } });
    starting.catch(() => undefined);
    await until(
      'PostgreSQL starts',
      () => ServiceProcess.last.family().some(({ name }) => name === 'postgres' || name === 'initdb'),
      120_000,
    );
    const service = ServiceProcess.last;
    const family = service.family();
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
    expect(stillRunning(family)).toEqual([]);
  });

  it('leaves no process when killed during a run or together with npm, and loses nothing', async () => {
    const killed = await start(dataDir);
    expect((await killed.sandbox('python', '1')).body.meta).toMatchObject({ remaining_executions: 9 });
    const { answer } = await killed.startedRun(20);
    await until('the code runs', () =>
      killed.family().some(({ name }) => name === 'bwrap' || name.startsWith('python')),
    );
    const family = killed.family();
    killed.signal('SIGKILL');
    await until('all that it started is gone', () => stillRunning(family).length === 0, 2_000);
    await expect(answer).rejects.toThrow();

    const next = await start(dataDir, { command: NPM_START });
    expect(await next.get('/ready')).toMatchObject({ status: 200 });
    expect((await next.sandbox('python', '1')).body.meta).toMatchObject({ remaining_executions: 7 });
    const nextFamily = next.family();
    const node = nextFamily.filter(({ parent }) => parent === next.pid);
    for (const { pid } of [next, ...node]) process.kill(pid, 'SIGKILL');
    await until('all that they started is gone', () => stillRunning(nextFamily).length === 0, 2_000);
  });
});

async function timeOf(service: ServiceProcess, signal: NodeJS.Signals): Promise<number> {
  const family = service.family();
  const from = performance.now();
  service.signal(signal);
  expect(await service.ended).toMatchObject({ code: 0 });
  const tookMs = performance.now() - from;
  // The watchers of the embedded servers notice within half a second that their server has ended.
  await until('nothing is left', () => stillRunning(family).length === 0, 2_000);
  return tookMs;
}

function expectDone(answer: HttpAnswer): void {
  expect(answer).toMatchObject({ status: 200, body: { data: { status: 'succeeded', stdout: 'done\n' } } });
}
