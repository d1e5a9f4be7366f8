import { Isolation } from '../../../../platform/isolation/isolation.js';
import { type ArtifactSink } from '../../domain/artifacts.js';
import { type OutputListener } from '../../domain/sandbox-runtime.js';
import { type PoolEvent } from '../pool-events.js';
import { PooledRuntime } from '../pooled-runtime.js';
import { type HostMessage, type HostSettings, type Reply, type Request } from './messages.js';

/** The outcome of a run takes the events of the run with it, unless the run takes longer than this. */
const EVENTS_WAIT_MS = 20;

/**
 * A process that only keeps sandboxes; `HostedRuntime` starts it. Its environment is empty and it opens no connections,
 * so it holds nothing that an attacker in a sandbox could want.
 */
function main(settings: HostSettings): void {
  const runtime = new PooledRuntime(new Isolation(settings.isolation), settings.runtime);
  const running = new Map<number, AbortController>();
  const taking = new Map<number, () => void>();
  let events: PoolEvent[] = [];
  let newsTimer: NodeJS.Timeout | undefined;

  /** Every message takes along what has happened since the last one. */
  const send = (message: HostMessage): void => {
    clearTimeout(newsTimer);
    newsTimer = undefined;
    const reply: Reply = { ...message, readiness: runtime.readiness, readings: runtime.readings, events };
    events = [];
    // Without the service there is no receiver.
    if (process.connected) process.send?.(reply, undefined, undefined, () => undefined);
  };
  const fail = (call: number, error: unknown): void => {
    send({ kind: 'failed', call, message: error instanceof Error ? error.message : String(error) });
  };

  const artifactsOf = (call: number): ArtifactSink => ({
    begin: (file) => {
      send({ kind: 'file', call, file });
    },
    take: (piece) => {
      const taken = Promise.withResolvers<undefined>();
      taking.set(call, () => {
        taken.resolve(undefined);
      });
      send({ kind: 'piece', call, piece });
      return taken.promise;
    },
  });

  const run = async (call: number, { run: requested, sendsOutput }: Request & { kind: 'run' }): Promise<void> => {
    const stop = new AbortController();
    running.set(call, stop);
    const onOutput: OutputListener = (pieces) => {
      send({ kind: 'output', call, pieces });
    };
    try {
      const outcome = await runtime.run(
        requested,
        stop.signal,
        sendsOutput ? onOutput : undefined,
        requested.limits.artifactBytes === undefined ? undefined : artifactsOf(call),
      );
      send({ kind: 'ended', call, outcome });
    } catch (error) {
      fail(call, error);
    } finally {
      running.delete(call);
      taking.delete(call);
    }
  };

  const close = async (): Promise<void> => {
    await runtime.close();
    process.exit(0);
  };

  runtime.listen((event) => {
    // An Error cannot be sent to another process.
    events.push('error' in event ? { ...event, error: String(event.error) } : event);
    // It may explain why this process ends a moment later.
    if ('error' in event) send({ kind: 'news' });
    else
      newsTimer ??= setTimeout(() => {
        send({ kind: 'news' });
      }, EVENTS_WAIT_MS);
  });
  process.on('message', (request: Request) => {
    switch (request.kind) {
      case 'probe':
        void runtime.probe().then(
          () => {
            send({ kind: 'probed', call: request.call });
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
      case 'taken':
        taking.get(request.call)?.();
        break;
      case 'close':
        void close();
    }
  });
  // The service has ended, in whatever way.
  process.on('disconnect', () => {
    void close();
  });
  // Ctrl-C reaches every process of a terminal, but only the service decides when this one ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
}

main(JSON.parse(process.argv[2] ?? '{}') as HostSettings);
