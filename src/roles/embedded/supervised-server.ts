import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../platform/logging/log.js';
import type { EmbeddedServer } from './embedded-server.js';

const RESTART_AFTER_MS = 500;

/** An embedded server that is restarted when it dies. */
export interface SupervisedServer {
  readonly url: string;
  isUp(): boolean;
  stop(): Promise<void>;
}

/** @throws {Error} when the first start fails; later starts are retried until they succeed. */
export async function supervise(
  name: string,
  start: () => Promise<EmbeddedServer>,
  log: Log,
): Promise<SupervisedServer> {
  let current = await start();
  const { url } = current;
  const stopping = new AbortController();
  let isUp = true;
  const isStopping = (): boolean => stopping.signal.aborted;

  async function watch(): Promise<void> {
    while (!isStopping()) {
      const exit = await current.exited;
      if (exit.requested) return;
      isUp = false;
      log.error({ server: name }, exit.message);
      await restart();
    }
  }

  async function restart(): Promise<void> {
    while (!isStopping()) {
      await sleep(RESTART_AFTER_MS);
      try {
        current = await start();
        // The service was stopped meanwhile, so the new server must be stopped too.
        if (isStopping()) await current.stop();
        isUp = true;
        log.info({ server: name }, 'Started again.');
        return;
      } catch (error) {
        log.error({ server: name, error }, 'An embedded server could not be restarted.');
      }
    }
  }

  const watching = watch();
  return {
    url,
    isUp: () => isUp,
    stop: async () => {
      stopping.abort();
      await current.stop();
      // A restart in progress stops by itself.
      await watching;
    },
  };
}
