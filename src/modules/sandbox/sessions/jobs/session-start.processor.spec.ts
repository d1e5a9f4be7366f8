import type { JobContext } from '../../../../platform/background/define-job.js';
import type { RunNetwork, RunNetworks } from '../../network/run-networks.js';
import type { PackageInstaller } from '../../packages/package-installer.js';
import type { SessionEndReason } from '../host/session-process.js';
import type { SessionProcesses } from '../host/session-processes.js';
import type { SessionSignals } from '../session-signals.js';
import type { HeldSessions } from '../worker/held-sessions.js';
import type { SessionRoom } from '../worker/session-room.js';
import type { SessionStartPayload } from './session-start.job.js';
import { SessionStartProcessor } from './session-start.processor.js';

const JOB: SessionStartPayload = {
  sessionId: 'sbx_1',
  orgId: 'org_1',
  language: 'python',
  limits: { memoryBytes: 100, processes: 1, filesBytes: 50 },
  allowedHosts: ['api.example.com'],
  idleTimeoutMs: 1_000,
  expiresAtMs: 0,
};
const SIGNALS = { notify: () => Promise.resolve() } as unknown as SessionSignals;
const CONTEXT = { signal: new AbortController().signal } as JobContext;

/** A worker with room for one session, and what is open of its network. */
function worker(start: () => Promise<{ ended: Promise<SessionEndReason> }>): {
  processor: SessionStartProcessor;
  state: { free: number; networks: number };
} {
  const state = { free: 100, networks: 0 };
  const room = {
    take: (bytes: number) => {
      state.free -= bytes;
      return true;
    },
    free: (bytes: number) => {
      state.free += bytes;
    },
  };
  const open = (): Promise<RunNetwork> => {
    state.networks++;
    return Promise.resolve({
      directory: '/x',
      renew: () => undefined,
      close: () => {
        state.networks--;
        return Promise.resolve();
      },
    });
  };
  const processor = new SessionStartProcessor(
    room as unknown as SessionRoom,
    {} as unknown as PackageInstaller,
    { open } as unknown as RunNetworks,
    { canHaveEgress: true, start } as unknown as SessionProcesses,
    { hold: () => Promise.resolve(true) } as unknown as HeldSessions,
    SIGNALS,
  );
  return { processor, state };
}

it.each([
  [0, 250],
  [250, 250],
  [1_000, 1_000],
  [3_000, 3_000],
  [200_000, 4_000],
])(
  'leaves a session that has waited for %i ms to others for %i ms when there is no room',
  async (waitedMs, delayMs) => {
    const processor = new SessionStartProcessor(
      { take: () => false } as unknown as SessionRoom,
      {} as unknown as PackageInstaller,
      {} as unknown as RunNetworks,
      { canHaveEgress: true } as unknown as SessionProcesses,
      {} as unknown as HeldSessions,
      SIGNALS,
    );
    await expect(processor.handle(JOB, { ...CONTEXT, waitedMs })).rejects.toMatchObject({ delayMs });
  },
);

it('keeps the network of a session until the session has ended', async () => {
  const ended = Promise.withResolvers<SessionEndReason>();
  const { processor, state } = worker(() => Promise.resolve({ ended: ended.promise }));
  expect(await processor.handle(JOB, CONTEXT)).toBe(true);
  expect(state.networks).toBe(1);
  ended.resolve('ended');
  await new Promise((resolve) => setImmediate(resolve));
  expect(state.networks).toBe(0);
});

it('frees the room and the network of a session that did not start', async () => {
  const { processor, state } = worker(() => Promise.reject(new Error('no memory')));
  await expect(processor.handle(JOB, CONTEXT)).rejects.toThrow('no memory');
  expect(state).toEqual({ free: 100, networks: 0 });
});
