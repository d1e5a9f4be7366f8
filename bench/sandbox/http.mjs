/**
 * The way of a caller: over HTTP through the limits, a worker, and back; against the service that the script starts, on
 * a free port with a data directory of its own.
 */
import { startService } from '../service.mjs';
import { residentMebibytes } from './figures.mjs';
import { HELLO } from './hello.mjs';
import { requireHello } from './layer.mjs';

const SETTINGS = {
  HOST: '127.0.0.1',
  LOG_LEVEL: 'error',
  SANDBOX_ENABLED: 'true',
  SANDBOX_EXECUTIONS_PER_DAY: '10000000',
  ANONYMOUS_CALLS_PER_DAY: '10000000',
  ANONYMOUS_CALLS_PER_SECOND: '100000',
};

/** Its ways resolve with the time of the program, as the answer says it. */
export async function openHttp() {
  const service = await startService({ settings: SETTINGS });
  const before = residentMebibytes(service.pid);

  const anonymous = async (language) => {
    const response = await fetch(`${service.url}/api/v1/sandbox/try`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ language, code: HELLO[language] ?? '' }),
    });
    return { status: response.status, ...(await response.json()) };
  };
  const timeOf = ({ stdout = '', duration_ms: durationMs }) => {
    requireHello(stdout);
    return durationMs;
  };
  /** The way through limits and checks alone. */
  const refused = async () => {
    const { status } = await anonymous('cobol');
    if (status !== 400) throw new Error(`not a refusal: ${status}`);
  };
  return {
    waysOf: (language) => [
      { way: 'HTTP', seconds: 2, run: async () => timeOf((await anonymous(language)).data) },
      {
        way: 'HTTP with a key',
        seconds: 2,
        run: async () => timeOf(await service.call('POST', '/sandbox/executions', { language, code: HELLO[language] })),
      },
      { way: 'HTTP, refused', seconds: 1, run: refused },
    ],
    memory: () => `${before} MiB before, ${residentMebibytes(service.pid)} MiB after`,
    close: service.stop,
  };
}
