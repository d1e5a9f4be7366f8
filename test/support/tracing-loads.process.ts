import 'reflect-metadata';
import type { Config } from '../../src/platform/config/config.js';
import { Shutdown } from '../../src/platform/lifecycle/shutdown.js';
import type { Log } from '../../src/platform/logging/log.js';
import { RequestContext } from '../../src/platform/logging/request-context.js';
import { Tracing } from '../../src/platform/tracing/tracing.js';
import type { TracingMetrics } from '../../src/platform/tracing/tracing.metrics.js';
import type { TracingSettings } from '../../src/platform/tracing/tracing.settings.js';
// All roles: the whole service is loaded.
import '../../src/roles/create-app.js';

const loaded = (): boolean => Object.keys(require.cache).some((file) => /node_modules\/@opentelemetry\/sdk/.test(file));

async function loads(endpoint: string | undefined): Promise<boolean> {
  const settings = { endpoint, headers: {}, serviceName: 'tested', ratio: 1 } as unknown as TracingSettings;
  const metrics = { ended: () => undefined } as unknown as TracingMetrics;
  const log = { debug: () => undefined } as unknown as Log;
  const config = { role: 'api' } as Config;
  const tracing = new Tracing(config, settings, new RequestContext(), metrics, log, new Shutdown());
  await tracing.onModuleInit();
  await tracing.span('tested', {}, () => Promise.resolve());
  return loaded();
}

/** Prints whether the SDK is loaded without and with an endpoint. */
async function main(): Promise<void> {
  const off = await loads(undefined);
  const on = await loads('http://127.0.0.1:1');
  process.stdout.write(JSON.stringify({ off, on }), () => process.exit(0));
}

void main();
