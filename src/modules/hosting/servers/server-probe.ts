import { request } from 'node:http';
import type { AppServer } from './app-server.js';

/**
 * Returns the status that a server answers a path with.
 *
 * @throws {Error} when it does not answer in time.
 */
export function statusOf(
  { socketPath }: AppServer,
  path: string,
  withinMs: number,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = request(
      {
        socketPath,
        path,
        headers: { host: 'localhost', 'user-agent': 'health-check' },
        agent: false,
        timeout: withinMs,
        signal,
      },
      (response) => {
        response.resume();
        resolve(response.statusCode!);
        response.once('error', () => undefined);
      },
    );
    probe.once('timeout', () => {
      probe.destroy(new Error('no answer in time'));
    });
    probe.once('error', reject);
    probe.end();
  });
}
