import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { INestApplication, Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { BackgroundCatalog } from '../../src/platform/background/background-catalog.js';
import type { ScheduleHandler } from '../../src/platform/background/define-schedule.js';
import { handledBy } from '../../src/platform/background/handles.js';
import { Config } from '../../src/platform/config/config.js';
import type { Settings } from '../../src/platform/config/settings.js';
import { NoSiblings } from '../../src/platform/lifecycle/sibling-processes.js';
import { openLog } from '../../src/platform/logging/log.js';
import { RequestContext } from '../../src/platform/logging/request-context.js';
import { createApp } from '../../src/roles/create-app.js';
import { createDataSource } from '../../src/roles/data-source.js';
import { IsolatedBuilds } from '../../src/modules/builds/isolated/isolated-builds.js';
import { ClusterHome } from '../../src/modules/databases/engine/own/cluster-home.js';
import { ClusterTemplate } from '../../src/modules/databases/engine/own/cluster-template.js';
import { WireServer } from '../../src/modules/databases/wire/wire-server.js';
import { EdgeServer } from '../../src/modules/hosting/http/edge-server.js';
import { listen } from '../../src/platform/http/http-listener.js';
import { loadSettings } from '../../src/roles/settings.js';
import { SERVICE_ROLES, type ServiceRole } from '../../src/roles/service.module.js';
import { onThisMachine } from './patience.js';
import { shareDiskMode } from './shared-disk-mode.js';
import { shareClusterTemplate } from './shared-cluster-template.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';
import { flushTestRedis, testRedisUrl } from './test-redis.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // The tests say what they expect of it.

  readonly body: any;
}

export interface CallOptions {
  readonly headers?: Record<string, string>;
  /** The caller's address; each call comes from one of its own unless a test is about that. */
  readonly from?: string;
  readonly signal?: AbortSignal;
  /** Comes from this machine and not through a proxy. The app must be started with {@link WITHOUT_PROXY}. */
  readonly direct?: boolean;
}

/**
 * Settings of an app that takes callers for who they are. Others believe the proxy that {@link TestApp.call} pretends
 * to be.
 */
export const WITHOUT_PROXY: NodeJS.ProcessEnv = { TRUST_PROXY: '' };

/** Settings of an app that runs code in sandboxes. */
export const WITH_SANDBOX: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'true' };

/** Other tests want the same processors. */
const CONNECT_TIMEOUT_MS = 15_000;

/** The whole service on a database and a Redis of its own, spoken to over HTTP. */
export class TestApp {
  private app!: INestApplication;
  private isStarted = false;
  private database!: TestDatabase;
  private sharesDatabase = false;
  private readonly lines: string[] = [];
  /** Its own, and gone with it. */
  readonly dataDirectory = mkdtempSync(join(tmpdir(), 'service-test-'));
  settings!: Settings;

  constructor(
    private readonly environment: NodeJS.ProcessEnv,
    private readonly role: TestRole,
  ) {}

  async start({ database, redisUrl = testRedisUrl(), keepRedis = false }: StartOptions = {}): Promise<void> {
    // If we are root, programs that run as other users keep their files below it.
    chmodSync(this.dataDirectory, 0o711);
    this.database = database ?? (await createTestDatabase());
    if (!keepRedis) await flushTestRedis();
    this.settings = loadSettings({
      DATABASE_URL: this.database.url,
      REDIS_URL: redisUrl,
      API_KEY_PEPPER: TEST_PEPPER,
      // Other tests want the same processors; what this bounds is tested with the time that it has by itself.
      REDIS_TIMEOUT_MS: '2000',
      SECRETS_KEY: TEST_SECRETS_KEY,
      // It would start ten interpreters for each file of tests. Those that run code have {@link WITH_SANDBOX}.
      SANDBOX_ENABLED: 'false',
      // What competes for the processors here is other tests.
      SANDBOX_CPU_WEIGHT: '1000',
      PORT: '0',
      PUBLIC_URL: 'http://api.test',
      // A fast machine makes more calls from one address than people do.
      // Tests of the limit give it the value they want.
      ANONYMOUS_CALLS_PER_SECOND: '1000',
      // Callers say who they are, see `from`.
      TRUST_PROXY: '1',
      DRAIN_DELAY_MS: '0',
      // Messages are written below it.
      DATA_DIR: this.dataDirectory,
      ...this.environment,
    });
    const log = openLog(
      this.config,
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          this.lines.push(...chunk.toString().trim().split('\n'));
          done();
        },
      }),
    );
    const dataSource = createDataSource({
      url: this.config.databaseUrl!,
      poolSize: 5,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    });
    this.app = await createApp(rolesOf(this.role), {
      settings: this.settings,
      log,
      siblings: new NoSiblings(),
      context: new RequestContext(),
      dataSource,
    });
    if (this.hasWorker) shareDiskMode(this.get(IsolatedBuilds));
    await this.app.listen(this.config.port, '127.0.0.1');
    if (this.hasEdge) await listen(this.get(EdgeServer).server, { port: 0, host: '127.0.0.1' });
    if (this.hasDatabases) {
      await listen(this.get(WireServer).server, { port: 0, host: '127.0.0.1' });
      shareClusterTemplate(this.get(ClusterTemplate), this.get(ClusterHome));
    }
    this.isStarted = true;
  }

  /** Stops and starts again on the same data, as a new release would. */
  async restart(): Promise<void> {
    await this.app.close();
    await this.start({ database: this.database, keepRedis: true });
  }

  /** Another process of the same service, on the same database and Redis; to be stopped before this one. */
  async another({ role = this.role } = {}): Promise<TestApp> {
    const other = new TestApp(this.environment, role);
    other.sharesDatabase = true;
    await other.start({ database: this.database, keepRedis: true });
    return other;
  }

  async stop(): Promise<void> {
    // It may not have started at all, and a test that failed may have left a call hanging.
    if (!this.isStarted) return;
    (this.app.getHttpServer() as Server).closeAllConnections();
    if (this.hasEdge) this.get(EdgeServer).server.closeAllConnections();
    await this.app.close();
    this.requireNoSecretInLog();
    if (!this.sharesDatabase) await this.database.drop();
    rmSync(this.dataDirectory, { recursive: true, force: true });
  }

  get<T>(type: Type<T> | (abstract new (...parameters: never[]) => T)): T {
    return this.app.get<T>(type, { strict: false });
  }

  /** Runs what the catalog of background work declares under this name once, and now. */
  async runSchedule(name: string): Promise<unknown> {
    const schedule = this.get(BackgroundCatalog).work.find((each) => each.name === name);
    const handler = this.get(DiscoveryService)
      .getProviders()
      .find(({ instance }) => instance != null && handledBy((instance as object).constructor) === schedule);
    if (schedule === undefined || handler === undefined) throw new Error(`Nothing here runs ${name}.`);
    return (handler.instance as ScheduleHandler).run(new AbortController().signal);
  }

  get config(): Config {
    return this.settings.of(Config);
  }

  /** With these, another process uses the same servers and secrets. */
  get sharedSettings(): Record<string, string> {
    return {
      DATABASE_URL: this.config.databaseUrl!,
      REDIS_URL: this.config.redisUrl!,
      API_KEY_PEPPER: TEST_PEPPER,
      SECRETS_KEY: TEST_SECRETS_KEY,
    };
  }

  get nest(): INestApplication {
    return this.app;
  }

  get port(): number {
    return ((this.app.getHttpServer() as Server).address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Where the hosts of deploys are answered. */
  get appsPort(): number {
    return (this.get(EdgeServer).server.address() as AddressInfo).port;
  }

  /** Where project databases are answered. */
  get databasesPort(): number {
    return (this.get(WireServer).server.address() as AddressInfo).port;
  }

  get hasWorker(): boolean {
    return rolesOf(this.role).includes('worker');
  }

  private get hasDatabases(): boolean {
    return rolesOf(this.role).includes('databases');
  }

  private get hasEdge(): boolean {
    return rolesOf(this.role).includes('edge');
  }

  call(method: string, path: string, options: CallOptions & { body?: string } = {}): Promise<Answer> {
    const { from = randomAddress(), headers = {}, body, signal, direct = false } = options;
    return answerOf(
      fetch(this.url + path, {
        method,
        headers: { ...(direct ? {} : { 'x-forwarded-for': from }), ...headers },
        redirect: 'manual',
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  }

  fetch(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, body: object, options: CallOptions = {}): Promise<Answer> {
    return this.call('POST', path, {
      ...options,
      headers: { 'content-type': 'application/json', ...options.headers },
      body: JSON.stringify(body),
    });
  }

  /** Sends bytes as they are and returns all that comes back until the connection ends, by us where `thenLeave`. */
  async raw(bytes: string | Buffer, { thenLeave = false, port = this.port } = {}): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.write(bytes, () => {
      if (thenLeave) socket.destroy();
    });
    await once(socket, 'close');
    return text;
  }

  /** Whatever a test is about: no key, token, password or pepper may come into the log (service document §5). */
  private requireNoSecretInLog(): void {
    const leak = this.lines.find((line) => TOKENS.test(line) || SECRETS.some((secret) => line.includes(secret)));
    if (leak !== undefined) throw new Error(`A secret is in the log: ${leak}`);
  }

  /** The log so far, a value a line. */
  log(): Record<string, unknown>[] {
    return this.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

const TEST_PEPPER = 'a-pepper-of-the-tests-long-enough-for-it';
const TEST_SECRETS_KEY = 'a-secrets-key-of-the-tests-long-enough-for-it';
/** The password of everybody whom {@link Make} makes. */
export const TEST_PASSWORD = 'a-long-enough-secret';
const SECRETS = [TEST_PEPPER, TEST_SECRETS_KEY, TEST_PASSWORD];
const TOKENS = /svc_(pat|sel|org|sess|web|mail|inv|hook|flow|scim)_[0-9A-Za-z]{39}/;

/** `all` is every role in one process. A host of project databases takes a second to start, which few tests need. */
type TestRole = ServiceRole | 'all' | 'without_databases';

function rolesOf(role: TestRole): readonly ServiceRole[] {
  if (role === 'all') return SERVICE_ROLES;
  return role === 'without_databases' ? SERVICE_ROLES.filter((each) => each !== 'databases') : [role];
}

interface StartOptions {
  readonly database?: TestDatabase;
  readonly redisUrl?: string;
  readonly keepRedis?: boolean;
}

/** One app for the tests of a file. `settings` are environment variables. */
export function useApp(settings: NodeJS.ProcessEnv = {}, role: TestRole = 'without_databases'): TestApp {
  const app = new TestApp(settings, role);
  beforeAll(() => app.start());
  afterAll(() => app.stop());
  return app;
}

/** The range for benchmarks (RFC 2544): 198.18.0.0/15. */
const ADDRESSES = 2 ** 17;
let address = Math.floor(Math.random() * ADDRESSES);

/** Returns an address that no call of this file came from, because many limits count by address. */
export function randomAddress(): string {
  // Any odd step reaches all of them before it repeats one.
  address = (address + 40_503) % ADDRESSES;
  return `198.${18 + (address >> 16)}.${(address >> 8) & 255}.${address & 255}`;
}

async function answerOf(answer: Promise<Response>): Promise<Answer> {
  const { status, headers, ...response } = await answer.then(async (it) => ({
    status: it.status,
    headers: it.headers,
    text: await it.text(),
  }));
  const isJson = /\bjson\b/.test(headers.get('content-type') ?? '') && response.text !== '';
  return { status, headers, text: response.text, body: isJson ? (JSON.parse(response.text) as unknown) : undefined };
}

/**
 * Waits until `check` holds; `withinMs` is for an idle machine. It asks less and less often, so that a check over HTTP
 * stays below the limit for bursts however fast the machine is. @throws {Error} when it never does.
 */
export async function eventually(
  check: () => boolean | Promise<boolean>,
  what: string,
  withinMs = 5_000,
): Promise<void> {
  const limitMs = onThisMachine(withinMs);
  const deadline = performance.now() + limitMs;
  for (let pauseMs = 20; !(await check()); pauseMs = Math.min(pauseMs * 1.25, 150)) {
    if (performance.now() > deadline) throw new Error(`Not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, pauseMs);
    });
  }
}
