import { Isolation } from '../../../../platform/isolation/isolation.js';
import { PooledRuntime } from '../pooled-runtime.js';
import { type HostSettings, type HostState, type Reply, type Request } from './messages.js';

/**
 * A process that does nothing but keep sandboxes; `HostedRuntime` starts it. Its environment is empty and it connects
 * to nothing, so there is nothing in it that a sandbox could be after.
 */
function main(settings: HostSettings): void {
  const runtime = new PooledRuntime(new Isolation(settings.isolation), settings.runtime);
  const running = new Map<number, AbortController>();

  const state = (): HostState => ({ readiness: runtime.readiness, readings: runtime.readings });
  const send = (reply: Reply): void => {
    // Without its service there is no one to tell.
    if (process.connected) process.send?.(reply, undefined, undefined, () => undefined);
  };
  const fail = (call: number, error: unknown): void => {
    send({ kind: 'failed', call, message: error instanceof Error ? error.message : String(error), ...state() });
  };

  const run = async (call: number, { run: wanted }: Request & { kind: 'run' }): Promise<void> => {
    const stop = new AbortController();
    running.set(call, stop);
    try {
      send({ kind: 'ended', call, outcome: await runtime.run(wanted, stop.signal), ...state() });
    } catch (error) {
      fail(call, error);
    } finally {
      running.delete(call);
    }
  };

  const close = async (): Promise<void> => {
    await runtime.close();
    process.exit(0);
  };

  runtime.listen((event) => {
    // An Error does not survive the way.
    send({
      kind: 'event',
      event: event.kind === 'start_failed' ? { ...event, error: String(event.error) } : event,
      ...state(),
    });
  });
  process.on('message', (request: Request) => {
    switch (request.kind) {
      case 'probe':
        void runtime.probe().then(
          () => {
            send({ kind: 'probed', call: request.call, ...state() });
          },
          (error: unknown) => {
            fail(request.call, error);
          },
        );
        break;
      case 'run':
        void run(request.call, request);
        break;
      case 'abort':
        running.get(request.call)?.abort();
        break;
      case 'close':
        void close();
    }
  });
  // The service is gone, however it ended.
  process.on('disconnect', () => {
    void close();
  });
  // Ctrl-C reaches every process of a terminal; it is the service that decides what is to end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
}

main(JSON.parse(process.argv[2] ?? '{}') as HostSettings);
