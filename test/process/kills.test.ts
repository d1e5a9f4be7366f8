import { setTimeout as sleep } from 'node:timers/promises';
import { AcknowledgedWrites, type Refused } from '../support/acknowledged-writes.js';
import { reportDrill } from '../support/drill-report.js';
import { until } from '../support/embedded-servers.js';
import { onThisMachine } from '../support/patience.js';
import { makeMemoryDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { ServiceProcess } from '../support/service-process.js';
import { freePorts } from '../support/free-port.js';

jest.setTimeout(onThisMachine(240_000));

const KILLS = Number(process.env['DRILL_KILLS'] ?? 2);
const BETWEEN_MS = 1_500;
const READY_WITHIN_MS = 5_000;

interface Victim {
  readonly name: string;
  readonly pidIn: (service: ServiceProcess) => number;
  /** Answers may break off: it is the process that answers. */
  readonly answers?: boolean;
}

/** Each process that may die: how it is found in a started service. */
const VICTIMS: readonly Victim[] = [
  { name: 'api', pidIn: (service) => service.processOf('api').pid, answers: true },
  { name: 'edge', pidIn: (service) => service.processOf('edge').pid },
  { name: 'worker', pidIn: (service) => service.processOf('worker').pid },
  { name: 'databases', pidIn: (service) => service.processOf('databases').pid },
  { name: 'PostgreSQL', pidIn: (service) => service.server('postgres').pid },
  { name: 'Redis', pidIn: (service) => service.server('redis-server').pid },
];

function expectTyped(refused: readonly Refused[], { answers = false }: Victim): void {
  const wrong = refused.filter(({ status, code, retryAfter }) => {
    if (status === 'none') return !answers;
    // A retry may meet the first attempt that still waits for the database.
    if (code === 'idempotency_in_progress') return false;
    return status !== 503 || code !== 'service_unavailable' || !(Number(retryAfter) > 0);
  });
  expect(wrong).toEqual([]);
}

describe('a service under load whose processes are killed', () => {
  let dataDir: string;
  let service: ServiceProcess;

  beforeAll(async () => {
    dataDir = makeMemoryDirectory();
    // Fixed, as an operator's are: one that is started again has the port of the one before.
    const [port, appsPort] = await freePorts();
    const env = { DATA_DIR: dataDir, SANDBOX_ENABLED: 'false', PORT: String(port), APPS_PORT: String(appsPort) };
    service = await ServiceProcess.start({ env });
  });

  afterAll(async () => {
    await ServiceProcess.killAll();
    removeScratchDirectory(dataDir);
  });

  it.each(VICTIMS)(
    'loses and repeats no acknowledged write when $name dies, and is ready again soon',
    async (victim) => {
      const writes = await AcknowledgedWrites.prepare(service, dataDir);
      writes.start();
      const tookMs: number[] = [];
      try {
        for (let kill = 0; kill < KILLS; kill++) {
          const before = writes.acknowledged.size;
          await until('writes are acknowledged', () => writes.acknowledged.size > before + 10, 60_000);
          const pid = victim.pidIn(service);
          process.kill(pid, 'SIGKILL');
          const killedAtMs = performance.now();
          // Not before it is gone: until then the answer may still be the last one.
          await until(
            'another one runs in its place',
            () => {
              try {
                return victim.pidIn(service) !== pid;
              } catch {
                return false;
              }
            },
            60_000,
          );
          await until('/ready says 200', async () => (await service.statusOf('/ready')) === 200, 60_000);
          tookMs.push(performance.now() - killedAtMs);
          await sleep(BETWEEN_MS);
        }
      } finally {
        await writes.stop();
      }
      expect(Math.max(...tookMs)).toBeLessThan(onThisMachine(READY_WITHIN_MS));
      expectTyped(writes.refused, victim);
      expect(writes.acknowledged.size).toBeGreaterThan(KILLS * 10);
      expect(await writes.missingAndDoubled()).toEqual({ missing: [], doubled: [] });
      reportDrill({
        drill: `SIGKILL of ${victim.name}`,
        count: `${KILLS} kills, ${writes.acknowledged.size} writes`,
        figures: `0 missing, 0 doubled; ready after ${(Math.max(...tookMs) / 1_000).toFixed(1)} s at most`,
      });
    },
  );
});
