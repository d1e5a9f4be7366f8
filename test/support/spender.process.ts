import { Writable } from 'node:stream';
import { NestFactory } from '@nestjs/core';
import { Module } from '@nestjs/common';
import 'reflect-metadata';
import type { DataSource } from 'typeorm';
import { CreditsModule } from '../../src/modules/credits/credits.module.js';
import { PaidWorkService } from '../../src/modules/credits/paid-work.service.js';
import { Config } from '../../src/platform/config/config.js';
import { SandboxSettings } from '../../src/modules/sandbox/sandbox.settings.js';
import { NoSiblings } from '../../src/platform/lifecycle/sibling-processes.js';
import { openLog } from '../../src/platform/logging/log.js';
import { RequestContext } from '../../src/platform/logging/request-context.js';
import { PlatformModule } from '../../src/platform/platform.module.js';
import { BACKGROUND_CATALOG } from '../../src/roles/background-catalog.js';
import { loadSettings } from '../../src/roles/settings.js';
import { createDataSource } from '../../src/roles/data-source.js';
import { ERROR_CATALOG } from '../../src/roles/error-catalog.js';
import type { SpenderOrder } from './spender.js';
import { watchQueries } from './watched-queries.js';

@Module({})
class Spender {}

/** Where this process is to end itself, as if it had been killed there: around the first COMMIT once it is armed. */
let killAt: 'before' | 'after' | undefined;
const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
};

const withBoundaries = (dataSource: DataSource): DataSource =>
  watchQueries(dataSource, async (text, send) => {
    const boundary = text.split('\n').includes('COMMIT') ? killAt : undefined;
    if (boundary === 'before') return die();
    const result = await send();
    return boundary === 'after' ? die() : result;
  });

async function main(order: SpenderOrder): Promise<unknown> {
  const settings = loadSettings(order.settings);
  const config = settings.of(Config);
  const log = openLog(
    config,
    new Writable({
      write: (_chunk, _encoding, done) => {
        done();
      },
    }),
  );
  const dataSource = withBoundaries(createDataSource({ url: config.databaseUrl!, poolSize: 5 }));
  const ground = {
    settings,
    isolation: settings.of(SandboxSettings),
    log,
    siblings: new NoSiblings(),
    context: new RequestContext(),
    dataSource,
    catalog: BACKGROUND_CATALOG,
    errors: ERROR_CATALOG,
  };
  const app = await NestFactory.createApplicationContext(
    { module: Spender, imports: [PlatformModule.with(ground), CreditsModule] },
    { logger: false },
  );
  const work = app.get(PaidWorkService);
  const estimate = {
    orgId: order.orgId,
    plan: order.plan,
    meter: 'sandbox_compute',
    lines: [{ quantity: BigInt(order.ms) }],
    withinMs: order.withinMs,
  } as const;
  // What is looked up once is known before anything is counted.
  await work.estimate(estimate);

  const outcomes: Record<string, number> = {};
  const spend = async (key: string): Promise<void> => {
    try {
      if (order.kill?.in === 'begin') killAt = order.kill.at;
      const begun = await work.begin({ ...estimate, key });
      if (order.kill?.in === 'end') killAt = order.kill.at;
      await work.end(begun, [
        {
          source: 'spender',
          sourceId: key,
          orgId: order.orgId,
          meter: 'sandbox_compute',
          quantity: BigInt(order.ms),
          occurredAt: begun.begunAt,
        },
      ]);
      outcomes['paid'] = (outcomes['paid'] ?? 0) + 1;
    } catch (error) {
      const { code = String(error) } = error as { code?: string };
      outcomes[code] = (outcomes[code] ?? 0) + 1;
    }
  };
  await Promise.all(order.keys.map(spend));
  await app.close();
  return outcomes;
}

void main(JSON.parse(process.argv[2]!) as SpenderOrder).then((outcomes) => {
  process.stdout.write(JSON.stringify(outcomes), () => {
    process.exit(0);
  });
});
