import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type INestApplicationContext, Injectable, Module, type Type } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { IsInt } from 'class-validator';
import { BackgroundCatalog, type BackgroundDeclarations } from '../../src/platform/background/background-catalog.js';
import { BackgroundWork, PROCESS_ROLES } from '../../src/platform/background/background-work.js';
import { defineEvent, defineSubscription } from '../../src/platform/background/define-event.js';
import { defineJob, type JobHandler } from '../../src/platform/background/define-job.js';
import { defineSchedule, type ScheduleHandler } from '../../src/platform/background/define-schedule.js';
import { Handles } from '../../src/platform/background/handles.js';
import { Schedules } from '../../src/platform/background/schedules.js';
import { SandboxSettings } from '../../src/modules/sandbox/sandbox.settings.js';
import { Config } from '../../src/platform/config/config.js';
import { Settings } from '../../src/platform/config/settings.js';
import { Database } from '../../src/platform/database/database.js';
import { NoSiblings } from '../../src/platform/lifecycle/sibling-processes.js';
import { openLog } from '../../src/platform/logging/log.js';
import { RequestContext } from '../../src/platform/logging/request-context.js';
import { Outbox } from '../../src/platform/outbox/outbox.js';
import { OutboxRelay } from '../../src/platform/outbox/outbox-relay.js';
import { PlatformModule } from '../../src/platform/platform.module.js';
import { QueueWorkers } from '../../src/platform/queues/queue-workers.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { BACKGROUND_CATALOG } from '../../src/roles/background-catalog.js';
import { loadSettings } from '../../src/roles/settings.js';
import { createDataSource } from '../../src/roles/data-source.js';
import { ERROR_CATALOG } from '../../src/roles/error-catalog.js';
import { eventually } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { flushTestRedis, testRedisUrl } from '../support/test-redis.js';

const PAGE = join(PROJECT_ROOT, 'docs/operations/background.md');

const NOTHING: BackgroundDeclarations = { jobs: [], events: [], subscriptions: [], schedules: [] };

class Numbered {
  @IsInt() readonly number!: number;
}

const retries = { attempts: 3, backoffMs: 10, concurrency: 4 };
const counted = defineEvent({ name: 'counted', summary: 'A number was counted.', payload: Numbered });
const adding = defineSubscription(counted, { name: 'counted-adding', summary: 'Adds it.', ...retries });
const listing = defineSubscription(counted, { name: 'counted-listing', summary: 'Lists it.', ...retries });
const printing = defineJob({ name: 'printing', summary: 'Prints a number.', payload: Numbered, ...retries });
const ticking = defineSchedule({ name: 'ticking', summary: 'Ticks.', everyMs: 50, runsIn: 'one' });

const added: number[] = [];
const listed: number[] = [];
let ticksAtOnce = 0;
let mostTicksAtOnce = 0;
const tickers = new Set<object>();

@Injectable()
@Handles(adding)
class Adder implements JobHandler<Numbered> {
  handle({ number }: Numbered): Promise<void> {
    added.push(number);
    return Promise.resolve();
  }
}

@Injectable()
@Handles(listing)
class Lister implements JobHandler<Numbered> {
  handle({ number }: Numbered): Promise<void> {
    listed.push(number);
    return Promise.resolve();
  }
}

@Injectable()
@Handles(printing)
class Printer implements JobHandler<Numbered> {
  handle(): Promise<void> {
    return Promise.resolve();
  }
}

@Injectable()
@Handles(printing)
class OtherPrinter extends Printer {}

@Injectable()
@Handles(ticking)
class Ticker implements ScheduleHandler {
  async run(): Promise<void> {
    tickers.add(this);
    mostTicksAtOnce = Math.max(mostTicksAtOnce, ++ticksAtOnce);
    await sleep(30);
    ticksAtOnce--;
  }
}

describe('background work', () => {
  const processes: INestApplicationContext[] = [];
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    await flushTestRedis();
  });

  afterEach(async () => {
    await Promise.all(processes.splice(0).map((each) => each.close()));
  });

  afterAll(() => database.drop());

  /** What a process of the role `worker` has, with this background work and no other. */
  async function startProcess(
    declared: Partial<BackgroundDeclarations>,
    handlers: readonly Type[],
  ): Promise<INestApplicationContext> {
    const settings = loadSettings({
      DATABASE_URL: database.url,
      REDIS_URL: testRedisUrl(),
      API_KEY_PEPPER: 'a-pepper-of-the-tests-long-enough-for-it',
      SECRETS_KEY: 'a-secrets-key-of-the-tests-long-enough-for-it',
      REDIS_TIMEOUT_MS: '2000',
    });
    const log = openLog(
      settings.of(Config),
      new Writable({
        write: (_chunk, _encoding, done) => {
          done();
        },
      }),
    );
    const ground = {
      settings,
      isolation: settings.of(SandboxSettings),
      log,
      siblings: new NoSiblings(),
      context: new RequestContext(),
      catalog: new BackgroundCatalog({ ...NOTHING, ...declared }),
      errors: ERROR_CATALOG,
      dataSource: createDataSource({ url: database.url, poolSize: 5, connectTimeoutMs: 15_000 }),
    };
    @Module({
      imports: [PlatformModule.with(ground), DiscoveryModule],
      providers: [...handlers, BackgroundWork, { provide: PROCESS_ROLES, useValue: ['worker'] }],
    })
    class TestedModule {}
    const started = await NestFactory.createApplicationContext(TestedModule, { logger: false, abortOnError: false });
    processes.push(started);
    started.get(OutboxRelay).start();
    return started;
  }

  it('delivers an event exactly once to each of two subscribers in each of two processes', async () => {
    const declared = { events: [counted], subscriptions: [adding, listing] };
    const [one, other] = [await startProcess(declared, [Adder, Lister]), await startProcess(declared, [Adder, Lister])];
    const numbers = Array.from({ length: 60 }, (_, number) => number);
    await Promise.all(
      numbers.map((number) => {
        const publisher = number % 2 === 0 ? one : other;
        return publisher.get(Database).transaction(() => publisher.get(Outbox).publish(counted, { number }));
      }),
    );

    await eventually(() => added.length >= numbers.length && listed.length >= numbers.length, 'both have heard of all');
    // What came twice would come now.
    await sleep(300);
    expect([...added].sort((a, b) => a - b)).toEqual(numbers);
    expect([...listed].sort((a, b) => a - b)).toEqual(numbers);
  });

  it('publishes an event only when its transaction commits', async () => {
    const heard = added.length;
    const worker = await startProcess({ events: [counted], subscriptions: [adding] }, [Adder]);
    await expect(
      worker.get(Database).transaction(async () => {
        await worker.get(Outbox).publish(counted, { number: 1_000 });
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    await worker.get(Database).transaction(() => worker.get(Outbox).publish(counted, { number: 1_001 }));
    await eventually(() => added.length > heard, 'the second is heard of');
    expect(added.slice(heard)).toEqual([1_001]);
  });

  it('runs a schedule in one process at a time, and moves it when that process ends', async () => {
    const declared = { schedules: [ticking] };
    const first = await startProcess(declared, [Ticker]);
    await startProcess(declared, [Ticker]);
    await eventually(() => tickers.size > 0, 'one ticks');
    await sleep(500);
    expect(mostTicksAtOnce).toBe(1);

    const known = tickers.size;
    await first.close();
    processes.splice(processes.indexOf(first), 1);
    tickers.clear();
    await eventually(() => tickers.size > 0, 'another one ticks');
    expect(known).toBeLessThanOrEqual(2);
  });

  it.each([
    ['work that has two handlers', { jobs: [printing] }, [Printer, OtherPrinter], 'printing has two handlers.'],
    ['work that has no handler', { jobs: [printing] }, [], 'No provider of this process handles printing.'],
    [
      'a handler of work that is not in the catalog',
      {},
      [Printer],
      'Printer handles printing, which is not in the catalog.',
    ],
    [
      'two pieces of work with one name',
      { jobs: [printing, { ...printing }] },
      [Printer],
      'Two pieces of background work have the name printing.',
    ],
    [
      'a subscription to an event that is not in the catalog',
      { subscriptions: [adding] },
      [Adder],
      'counted-adding subscribes to counted, which is not in the catalog.',
    ],
  ] as const)('refuses to start with %s', async (_what, declared, handlers, message) => {
    const start = (): Promise<INestApplicationContext> => {
      const ground = [
        [BackgroundCatalog, new BackgroundCatalog({ ...NOTHING, ...declared })],
        [Settings, {}],
        [QueueWorkers, {}],
        [Schedules, {}],
        [PROCESS_ROLES, ['worker']],
      ] as const;
      @Module({
        imports: [DiscoveryModule],
        providers: [...handlers, BackgroundWork, ...ground.map(([provide, useValue]) => ({ provide, useValue }))],
      })
      class TestedModule {}
      return NestFactory.createApplicationContext(TestedModule, { logger: false, abortOnError: false });
    };
    await expect((async () => start())()).rejects.toThrow(message);
  });

  it('is listed in docs/operations/background.md; UPDATE_BACKGROUND_PAGE=1 writes it', () => {
    if (process.env['UPDATE_BACKGROUND_PAGE'] === '1') writeFileSync(PAGE, pageOf(BACKGROUND_CATALOG));
    expect(readFileSync(PAGE, 'utf8')).toBe(pageOf(BACKGROUND_CATALOG));
  });

  it('declares every queue and schedule in the catalog', async () => {
    const modules = join(PROJECT_ROOT, 'src');
    const files = readdirSync(modules, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.job.ts'))
      .map((name) => join(modules, name));
    expect(files.length).toBeGreaterThan(10);
    const { work, declared } = BACKGROUND_CATALOG;
    const missing: string[] = [];
    for (const file of files) {
      const exported = Object.entries((await import(file)) as Record<string, unknown>);
      const definitions = exported.filter(
        ([, value]) => typeof value === 'object' && value !== null && Object.isFrozen(value) && 'summary' in value,
      );
      if (definitions.length === 0) missing.push(`${relative(modules, file)} declares nothing`);
      missing.push(
        ...definitions
          .filter(([, value]) => !work.includes(value as never) && !declared.events.includes(value as never))
          .map(([name]) => name),
      );
    }
    expect(missing).toEqual([]);
  });
});

const byName = <Named extends { readonly name: string }>(all: readonly Named[]): Named[] =>
  [...all].sort((one, other) => one.name.localeCompare(other.name));

function periodOf(everyMs: number): string {
  if (everyMs % 3_600_000 === 0) return `${everyMs / 3_600_000} h`;
  return everyMs % 60_000 === 0 ? `${everyMs / 60_000} min` : `${everyMs / 1_000} s`;
}

function pageOf({ declared: { jobs, events, subscriptions, schedules } }: BackgroundCatalog): string {
  return [
    '# Background work',
    '',
    'Everything that the service does without a caller waiting for it. This page is generated from the ' +
      '`*.job.ts` files of the modules;',
    'a process whose declarations and handlers do not match does not start.',
    '',
    '## Schedules',
    '',
    'A run starts one period after the last one ended, ' +
      'and never twice at once in a process. *One process* means that at most one of all',
    'processes runs it, by a lease in the database. [The runbook](runbooks/schedules.md) says what to do ' +
      'when a schedule does not run.',
    '',
    '| Schedule | What it does | Period | Where |',
    '|---|---|---|---|',
    ...byName(schedules).map(
      ({ name, summary, everyMs, runsIn, roles = ['worker'] }) =>
        `| \`${name}\` | ${summary} | ${periodOf(everyMs)} | ` +
        `${runsIn === 'one' ? 'one process' : 'each process'}: ` +
        `${roles.map((role) => `\`${role}\``).join(', ')} |`,
    ),
    '',
    '## Jobs',
    '',
    'A job is delivered at least once, so its handler may run twice. After its last attempt it stays in its ' +
      'queue for 30 days.',
    '',
    '| Queue | What it does | Attempts |',
    '|---|---|---|',
    ...byName([...jobs, ...subscriptions]).map(
      ({ name, summary, attempts }) => `| \`${name}\` | ${summary} | ${attempts} |`,
    ),
    '',
    '## Events',
    '',
    'An event is committed with what it reports. Each subscriber has a queue of its own.',
    '',
    '| Event | When | Queues of its subscribers |',
    '|---|---|---|',
    ...byName(events).map(
      ({ name, summary }) =>
        `| \`${name}\` | ${summary} | ${subscriptions
          .filter(({ event }) => event.name === name)
          .map((each) => `\`${each.name}\``)
          .join(', ')} |`,
    ),
    '',
  ].join('\n');
}
