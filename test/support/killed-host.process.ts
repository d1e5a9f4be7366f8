import { setTimeout as sleep } from 'node:timers/promises';
import { createInterface } from 'node:readline';
import { writeSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { NestFactory } from '@nestjs/core';
import 'reflect-metadata';
import type { DataSource } from 'typeorm';
import { ClusterFiles } from '../../src/modules/databases/engine/own/cluster-files.js';
import { ClusterRecords } from '../../src/modules/databases/engine/own/cluster-records.js';
import { ClusterServer } from '../../src/modules/databases/engine/own/cluster-server.js';
import { WireServer } from '../../src/modules/databases/wire/wire-server.js';
import { FileBlobStorage } from '../../src/platform/blobs/file-blob-storage.js';
import { Config } from '../../src/platform/config/config.js';
import { listen } from '../../src/platform/http/http-listener.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';
import type { LaunchSpec } from '../../src/platform/isolation/launch-spec.js';
import { NoSiblings } from '../../src/platform/lifecycle/sibling-processes.js';
import { openLog } from '../../src/platform/logging/log.js';
import { RequestContext } from '../../src/platform/logging/request-context.js';
import { createDataSource } from '../../src/roles/data-source.js';
import { ServiceModule } from '../../src/roles/service.module.js';
import { loadSettings } from '../../src/roles/settings.js';
import type { Death } from './killed-host.js';
import { watchQueries } from './watched-queries.js';

/** The parts of effects that have not come yet. */
let awaited: string[] | undefined;
let whileItRuns = false;

/** Every way in which this process changes something outside of it comes through here first. */
function happens(effect: string): boolean {
  if (awaited === undefined || !effect.includes(awaited[0]!)) return false;
  if (awaited.length > 1) {
    awaited.shift();
    return false;
  }
  if (!whileItRuns) die();
  return true;
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

type Method = (...parts: unknown[]) => Promise<unknown>;

/** Reports each call of a method before it is made. */
function watch(type: { readonly prototype: object }, name: string, describe: (...parts: unknown[]) => string): void {
  const methods = type.prototype as Record<string, Method>;
  const original = methods[name]!;
  methods[name] = async function watchedMethod(this: unknown, ...parts: unknown[]): Promise<unknown> {
    const isTheLast = happens(describe(...parts));
    const result = await original.apply(this, parts);
    if (isTheLast) {
      // A program has begun, and is somewhere in its work.
      await sleep(Math.random() * 40);
      die();
    }
    return result;
  };
}

watch(Isolation, 'launch', (spec) => `launch ${(spec as LaunchSpec).command.join(' ')}`);
watch(ClusterServer, 'stop', () => 'stop server');
watch(ClusterFiles, 'move', (from, to) => `move ${String(from)} ${String(to)}`);
watch(ClusterRecords, 'write', (directory) => `record ${String(directory)}`);
watch(FileBlobStorage, 'put', (key) => `put ${String(key)}`);
watch(FileBlobStorage, 'delete', (key) => `delete ${String(key)}`);

const watched = (dataSource: DataSource): DataSource =>
  watchQueries(dataSource, (text, send) => {
    for (const statement of text.split('\n')) happens(statement);
    return send();
  });

interface Running {
  readonly port: number;
  close(): Promise<void>;
}

async function start(environment: Record<string, string>): Promise<Running> {
  const settings = loadSettings(environment);
  const config = settings.of(Config);
  const log = openLog(
    config,
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        process.stderr.write(chunk, () => {
          done();
        });
      },
    }),
  );
  const app = await NestFactory.createApplicationContext(
    await ServiceModule.with(['databases'], {
      settings,
      log,
      siblings: new NoSiblings(),
      context: new RequestContext(),
      dataSource: watched(createDataSource({ url: config.databaseUrl!, poolSize: 5 })),
    }),
    { logger: false, abortOnError: false },
  );
  const { server } = app.get(WireServer, { strict: false });
  await listen(server, { port: 0, host: '127.0.0.1' });
  return { port: (server.address() as AddressInfo).port, close: () => app.close() };
}

/** Unlike a stream, it is written when this returns. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

async function main(): Promise<void> {
  let running: Running | undefined;
  // To load the service takes longer than to start it, so the next process waits until the one before it is dead.
  say('loaded');
  for await (const line of createInterface(process.stdin)) {
    const { start: environment, die: death } = JSON.parse(line) as {
      start?: Record<string, string>;
      die?: Death;
    };
    if (environment !== undefined) {
      running = await start(environment);
      say(`started ${running.port}`);
    }
    if (death !== undefined) {
      awaited = [...death.at];
      whileItRuns = death.whileItRuns === true;
      say('armed');
    }
  }
  // The end of the orders is an orderly stop.
  await running?.close();
  process.exit(0);
}

main().catch((error: unknown) => {
  process.stderr.write(String(error instanceof Error ? error.stack : error), () => {
    process.exit(1);
  });
});
