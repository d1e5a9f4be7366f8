/**
 * Sends requests at a fixed rate, whether or not earlier ones have been answered, and times each from the moment at
 * which it was due: a service that stalls is charged for all that came meanwhile.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../service.mjs';

const TICK_MS = 5;
const GIVE_UP_MS = 70_000;

export class Load {
  #agent = new Agent({ keepAlive: true, maxSockets: 512 });

  /**
   * @param kinds `{ name, perSecond, make }`, where `make` gives `{ port, method, path, headers, body }`
   * @returns by name: every answer with its time and status
   */
  async run(kinds, seconds) {
    const results = Object.fromEntries(kinds.map(({ name }) => [name, []]));
    const sent = kinds.map(() => 0);
    const pending = new Set();
    const startedAt = performance.now();
    for (let now = startedAt; now < startedAt + seconds * 1_000; now = performance.now()) {
      for (const [index, { name, perSecond, make }] of kinds.entries()) {
        for (; sent[index] < ((now - startedAt) / 1_000) * perSecond; sent[index] += 1) {
          const dueAt = startedAt + (sent[index] / perSecond) * 1_000;
          const call = this.#send(make(), dueAt).then((result) => {
            results[name].push(result);
            pending.delete(call);
          });
          pending.add(call);
        }
      }
      await sleep(TICK_MS);
    }
    await Promise.all(pending);
    return results;
  }

  close() {
    this.#agent.destroy();
  }

  #send({ port, method = 'GET', path, headers = {}, body }, dueAt) {
    return new Promise((resolve) => {
      const done = (status, retryAfter) => {
        resolve({ ms: performance.now() - dueAt, status, retryAfter });
      };
      const call = request(
        { agent: this.#agent, host: '127.0.0.1', port, method, path, headers, timeout: GIVE_UP_MS },
        (response) => {
          response.resume();
          response.on('end', () => {
            done(response.statusCode, response.headers['retry-after']);
          });
          response.on('error', () => {
            done(0);
          });
        },
      );
      call.on('timeout', () => {
        call.destroy(new Error('no answer'));
      });
      // Without an answer; it counts as a failure.
      call.on('error', () => {
        done(0);
      });
      call.end(body);
    });
  }
}

export const merge = (one, other) =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((name) => [
      name,
      [...(one[name] ?? []), ...(other[name] ?? [])],
    ]),
  );

/**
 * What a table says of the answers of one kind. A 503 of the sandbox that says when to come back is a refusal, no
 * failure.
 */
export function figuresOf(results) {
  const isRefusal = ({ status, retryAfter }) => status === 503 && retryAfter !== undefined;
  const times = results.map(({ ms }) => ms);
  return {
    requests: results.length,
    p50: times.length === 0 ? 0 : quantile(times, 0.5),
    p99: times.length === 0 ? 0 : quantile(times, 0.99),
    refused: results.filter(isRefusal).length,
    failed: results.filter((result) => (result.status === 0 || result.status >= 500) && !isRefusal(result)).length,
  };
}
