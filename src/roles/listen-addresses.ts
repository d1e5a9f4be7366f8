import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabasesSettings } from '../modules/databases/databases.settings.js';
import { HostingSettings } from '../modules/hosting/hosting.settings.js';
import { Config } from '../platform/config/config.js';
import type { Settings } from '../platform/config/settings.js';
import { listen } from '../platform/http/http-listener.js';
import { explainListening, type ListenAddress } from './explain.js';

/** A service that was killed leaves its processes for a moment, and with them its ports. */
const FREED_WITHIN_MS = 5_000;
const LOOK_MS = 100;

/** Where the API, the hosts of deploys and project databases are answered. */
export function listenAddresses(settings: Settings): Record<'platform' | 'apps' | 'databases', ListenAddress> {
  const { host, port } = settings.of(Config);
  return {
    platform: { host, setting: 'PORT', port },
    apps: { host, setting: 'APPS_PORT', port: settings.of(HostingSettings).listenPort },
    databases: { host, setting: 'DATABASES_PORT', port: settings.of(DatabasesSettings).port },
  };
}

/** Says at the beginning of a start, and not at its end, what would keep the service from being answered. */
export async function requireFreeAddresses(settings: Settings): Promise<void> {
  await Promise.all(Object.values(listenAddresses(settings)).map(requireFree));
}

/** @throws {Error} with a message for the operator. */
async function requireFree(address: ListenAddress): Promise<void> {
  const untilMs = performance.now() + FREED_WITHIN_MS;
  for (;;) {
    const server = createServer();
    try {
      await listen(server, address);
      server.close();
      await once(server, 'close');
      return;
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isTaken || performance.now() > untilMs) throw explainListening(error as Error, address);
      await sleep(LOOK_MS);
    }
  }
}
