import { Writable } from 'node:stream';
import { NestFactory } from '@nestjs/core';
import 'reflect-metadata';
import { Client } from 'pg';
import { DatabaseEngine } from '../../src/modules/databases/engine/database-engine.js';
import { CLUSTER_ID } from '../../src/modules/databases/databases.ids.js';
import { HostedEngine } from '../../src/modules/databases/engine/hosted-engine.js';
import { Config } from '../../src/platform/config/config.js';
import { Ids } from '../../src/platform/ids/ids.js';
import { NoSiblings } from '../../src/platform/lifecycle/sibling-processes.js';
import { openLog } from '../../src/platform/logging/log.js';
import { RequestContext } from '../../src/platform/logging/request-context.js';
import { createDataSource } from '../../src/roles/data-source.js';
import { ServiceModule } from '../../src/roles/service.module.js';
import { loadSettings } from '../../src/roles/settings.js';

/**
 * A host of databases that works until it is killed: it creates databases, and writes rows into the first of them. Each
 * line that it prints says what was begun or acknowledged.
 */
async function main(environment: Record<string, string>): Promise<void> {
  const settings = loadSettings(environment);
  const config = settings.of(Config);
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const log = openLog(config, silent);
  const dataSource = createDataSource({ url: config.databaseUrl!, poolSize: 5 });
  const app = await NestFactory.createApplicationContext(
    await ServiceModule.with(['databases'], {
      settings,
      log,
      siblings: new NoSiblings(),
      context: new RequestContext(),
      dataSource,
    }),
    { logger: false },
  );
  const engine = app.get(DatabaseEngine, { strict: false });
  await app.get(HostedEngine, { strict: false }).open();
  const newId = (): string => app.get(Ids, { strict: false }).next(CLUSTER_ID);

  const first = newId();
  await engine.create(first);
  const stream = await engine.connect(first);
  Object.assign(stream, {
    connect: () => {
      queueMicrotask(() => stream.emit('connect'));
    },
  });
  const client = new Client({ user: 'owner', database: 'app', host: '/', stream: () => stream });
  await client.connect();
  await client.query('CREATE TABLE rows (number int)');
  say('writing', first);
  void (async () => {
    for (;;) {
      const id = newId();
      say('creating', id);
      await engine.create(id);
      say('created', id);
    }
  })();
  for (let number = 1; ; number++) {
    await client.query('INSERT INTO rows VALUES ($1)', [number]);
    say('wrote', String(number));
  }
}

/** Unlike a stream, it is written when this returns. */
function say(what: string, which: string): void {
  process.stdout.write(`${what} ${which}\n`);
}

main(JSON.parse(process.argv[2]!) as Record<string, string>).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
