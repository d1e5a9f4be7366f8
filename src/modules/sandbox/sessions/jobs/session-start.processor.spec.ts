import type { JobContext } from '../../../../platform/background/define-job.js';
import type { Log } from '../../../../platform/logging/log.js';
import type { RunNetworks } from '../../network/run-networks.js';
import type { PackageInstaller } from '../../packages/package-installer.js';
import type { SessionEndReason } from '../host/session-process.js';
import type { SessionProcesses } from '../host/session-processes.js';
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
const CONTEXT = { signal: new AbortController().signal } as JobContext;
const TOO_MANY = new Error('EMFILE: too many open files');

/** A worker with room for one session, where the directory of a proxy cannot be removed. */
function worker(start: () => Promise<{ ended: Promise<SessionEndReason> }>): {
  processor: SessionStartProcessor;
  state: { free: number; warnings: object[] };
} {
  const state = { free: 100, warnings: [] as object[] };
  const room = {
    take: (bytes: number) => {
      state.free -= bytes;
      return true;
    },
    free: (bytes: number) => {
      state.free += bytes;
    },
  };
  const network = { directory: '/x', renew: () => undefined, close: () => Promise.reject(TOO_MANY) };
  const processor = new SessionStartProcessor(
    room as unknown as SessionRoom,
    {} as unknown as PackageInstaller,
    { open: () => Promise.resolve(network) } as unknown as RunNetworks,
    { canHaveEgress: true, start } as unknown as SessionProcesses,
    { hold: () => Promise.resolve(true) } as unknown as HeldSessions,
    { warn: (fields: object) => state.warnings.push(fields) } as unknown as Log,
  );
  return { processor, state };
}

it('logs a way out that cannot be removed when a session has ended, and the worker goes on', async () => {
  const ended = Promise.withResolvers<SessionEndReason>();
  const { processor, state } = worker(() => Promise.resolve({ ended: ended.promise }));
  expect(await processor.handle(JOB, CONTEXT)).toBe(true);
  ended.resolve('ended');
  // What is rejected and not caught by then fails this test.
  await new Promise((resolve) => setImmediate(resolve));
  expect(state.warnings).toEqual([{ sessionId: 'sbx_1', error: TOO_MANY }]);
});

it('frees the room of a session that did not start, and says why it did not, also then', async () => {
  const { processor, state } = worker(() => Promise.reject(new Error('no memory')));
  await expect(processor.handle(JOB, CONTEXT)).rejects.toThrow('no memory');
  expect(state).toEqual({ free: 100, warnings: [{ sessionId: 'sbx_1', error: TOO_MANY }] });
});
