import { type SessionProcess, type SessionStart } from '../../src/modules/sandbox/sessions/host/session-process.js';
import { SessionProcesses } from '../../src/modules/sandbox/sessions/host/session-processes.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';
import { type SessionCall, type SessionReply } from './session-calls.js';

/** Keeps sessions for the abuse suite, in a process of its own, so that it can be that of another user. */
function main(settings: ConstructorParameters<typeof Isolation>[0]): void {
  const isolation = new Isolation(settings);
  const sessions = new SessionProcesses(isolation);
  const live = new Map<number, SessionProcess>();
  let lastId = 0;

  const close = async (): Promise<void> => {
    await sessions.closeAll();
    await isolation.close();
  };
  const start = async (spec: SessionStart): Promise<number> => {
    const session = await sessions.start(spec);
    live.set(++lastId, session);
    return lastId;
  };
  const act = async ({ session: id, method, parameters }: SessionCall): Promise<unknown> => {
    if (method === 'close') return close();
    if (method === 'mode') return isolation.mode;
    if (method === 'start') return start(parameters[0] as SessionStart);
    const session = live.get(id)!;
    if (method === 'ended') return session.ended;
    if (method === 'isFrozen') return session.isFrozen;
    return (session[method] as (...all: readonly unknown[]) => unknown)(...parameters);
  };
  process.on('message', (call: SessionCall) => {
    const reply = (answer: Omit<SessionReply, 'call'>): void => {
      if (process.connected) process.send?.({ call: call.call, ...answer }, undefined, undefined, () => undefined);
    };
    act(call).then(
      (value) => {
        reply({ value });
      },
      (error: unknown) => {
        reply({
          fault: error instanceof Error ? `${error.name}: ${error.message} ${String(error.cause)}` : String(error),
        });
      },
    );
  });
  process.on('disconnect', () => {
    void close().finally(() => process.exit(0));
  });
}

main(JSON.parse(process.argv[2] ?? '{}') as ConstructorParameters<typeof Isolation>[0]);
