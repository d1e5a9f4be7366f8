import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { killNow, until } from './embedded-servers.js';
import { environmentNames } from './environment-names.js';
import { descendantsOf, stillRunning, type SeenProcess } from './processes.js';

const ROOT = join(__dirname, '../..');
const START_SCRIPT = [process.execPath, join(ROOT, 'scripts/start.mjs')];
/** The first start may include a build. */
const START_WITHIN_MS = 120_000;

export interface ServiceOptions {
  readonly role?: 'all' | 'api' | 'edge' | 'worker' | 'databases' | 'migrate' | 'seed' | 'backup' | 'restore';
  /** Settings beside those of {@link environment}. */
  readonly env?: Record<string, string>;
  /** Default: `node scripts/start.mjs`, which builds what is stale, so that never an old build is tested. */
  readonly command?: readonly string[];
  /** Where the command runs. The default is this repository. */
  readonly cwd?: string;
  /** A process group of its own, as a terminal gives it to a command. */
  readonly ownGroup?: boolean;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

/** The service in its own process, as an operator starts it, for tests that signal and kill it. */
export class ServiceProcess {
  private static readonly started: ServiceProcess[] = [];
  private output = '';
  private messages = '';
  private address = '';
  readonly ended: Promise<Ended>;

  private constructor(private readonly child: ChildProcess) {
    child.stdout!.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
    });
    child.stderr!.on('data', (chunk: Buffer) => {
      this.messages += chunk.toString();
    });
    this.ended = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      stdout: this.output,
      stderr: this.messages,
    }));
    ServiceProcess.started.push(this);
  }

  /** Resolves once the service is ready. Rejects with its output when it exits instead. */
  static async start(input: ServiceOptions): Promise<ServiceProcess> {
    const service = this.spawn(input);
    let end: Ended | undefined;
    void service.ended.then((ended) => {
      end = ended;
    });
    await until('the service is ready', () => end !== undefined || service.readAddress(), START_WITHIN_MS);
    if (end !== undefined) throw new Error(`The service ended.\n${end.stdout}${end.stderr}`);
    return service;
  }

  /** Waits for a process that exits by itself: a failed start, or a role for one task. */
  static run(input: ServiceOptions): Promise<Ended> {
    return this.spawn(input).ended;
  }

  /** Does the same as {@link run} for a process whose output nothing reads, as when a terminal is closed. */
  static runUnread(input: ServiceOptions): Promise<Ended> {
    const service = this.spawn(input);
    service.child.stdout!.destroy();
    service.child.stderr!.destroy();
    return service.ended;
  }

  /** Kills what a test has left running, with all descendants. */
  static async killAll(): Promise<void> {
    await Promise.all(
      this.started.splice(0).map(async (service) => {
        const family = service.family();
        if (service.child.exitCode === null && service.child.signalCode === null) await killNow(service.child);
        // What npm runs outlives it. Our servers are ended by their watchers, who clean up better than a signal would.
        for (const { pid } of stillRunning(family).filter(
          ({ parent, name }) => parent === service.pid && name !== 'sh',
        ))
          process.kill(pid, 'SIGKILL');
        await until('all that it started is gone', () => stillRunning(family).length === 0, 10_000);
      }),
    );
  }

  private static spawn({
    role = 'all',
    env = {},
    command = [...START_SCRIPT, role],
    ownGroup = false,
    cwd = ROOT,
  }: ServiceOptions): ServiceProcess {
    const [program, ...args] = command;
    return new ServiceProcess(
      spawn(program!, args, {
        cwd,
        env: { ...environment(), ...env },
        detached: ownGroup,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  }

  /** The process of the latest start, which may not be ready yet. */
  static get last(): ServiceProcess {
    return this.started.at(-1)!;
  }

  get pid(): number {
    return this.child.pid!;
  }

  get url(): string {
    return this.address;
  }

  /** The port of the hosts of deploys. */
  get appsPort(): number {
    return Number(/Deploys +http:\S+:(\d+)\n/.exec(this.messages)![1]);
  }

  /** One of the processes of the role `all`. */
  processOf(role: 'api' | 'edge' | 'worker' | 'databases'): SeenProcess {
    const found = this.family().find(
      ({ pid, parent }) =>
        parent === this.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0${role}\0--supervised`),
    );
    if (found === undefined) throw new Error(`There is no process ${role}.`);
    return found;
  }

  /** The structured log so far. */
  get log(): string {
    return this.output;
  }

  /** All processes that it has started, and theirs. */
  family(): SeenProcess[] {
    return descendantsOf(this.pid);
  }

  /** The embedded server itself. */
  server(name: 'postgres' | 'redis-server'): SeenProcess {
    const family = this.family();
    const found = family.find(
      (process) => process.name === name && family.find(({ pid }) => pid === process.parent)?.name === 'sh',
    );
    if (found === undefined) throw new Error(`${name} does not run.`);
    return found;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Signals the whole process group, as Ctrl-C in a terminal does. */
  signalGroup(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }

  async get(path: string): Promise<HttpAnswer> {
    return answerOf(await fetch(this.url + path));
  }

  /** What a browser would see of a hosted page: it leads `*.localhost` to this machine. */
  page(url: string): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const headers = { host: new URL(url).host };
      request({ host: '127.0.0.1', port: this.appsPort, path: '/', headers }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('end', () => {
          resolve({ status: response.statusCode!, text });
        });
      })
        .on('error', reject)
        .end();
    });
  }

  /** Returns the status, or 0 without a response. */
  async statusOf(path: string): Promise<number> {
    return this.get(path).then(
      ({ status }) => status,
      () => 0,
    );
  }

  async sandbox(language: string, code: string): Promise<HttpAnswer> {
    return answerOf(
      await fetch(`${this.url}/api/v1/sandbox/try`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ language, code }),
      }),
    );
  }

  /** The value of a metric with these labels, over all processes; undefined when none of them has it. */
  async metric(name: string): Promise<number | undefined> {
    const text = await fetch(`${this.url}/metrics`).then((answer) => answer.text());
    const [, metric, labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(name)!;
    const series = text.split('\n').flatMap((line) => {
      const [, each, theirs = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const matches =
        each === metric && labels.split(',').every((label) => theirs.split(',').includes(label) || label === '');
      return matches ? [Number(value)] : [];
    });
    return series.length === 0 ? undefined : series.reduce((sum, value) => sum + value, 0);
  }

  /** Starts a run of a little program and resolves as soon as a worker has it. */
  async startedRun(seconds: number): Promise<{ answer: Promise<HttpAnswer> }> {
    await until(
      'a worker is known',
      async () => (await this.get('/ready')).body.details?.sandbox?.status === 'up',
      20_000,
    );
    const answer = this.sandbox('python', `import time\ntime.sleep(${seconds})\nprint("done")`);
    answer.catch(() => undefined);
    await until(
      'a worker has taken the run',
      async () => ((await this.metric('queue_jobs{queue="sandbox",state="active"}')) ?? 0) >= 1,
      20_000,
    );
    return { answer };
  }

  private readAddress(): boolean {
    this.address = /is ready[^]*?(http:\/\/\S+?)(?:\/api\/v1|\/ready)\n/.exec(this.messages)?.[1] ?? '';
    return this.address !== '';
  }
}

/**
 * Nothing of the developer's own settings: every variable of the service is set, if only to nothing, because the start
 * reads `.env` for those that are not.
 */
function environment(): Record<string, string> {
  return {
    ...Object.fromEntries(environmentNames().map((name) => [name, ''])),
    PATH: process.env['PATH']!,
    HOME: process.env['HOME'] ?? '/',
    npm_config_update_notifier: 'false',
    SERVICE_INSTALL: 'never',
    PORT: '0',
    ANONYMOUS_CALLS_PER_SECOND: '1000',
    // Here, other tests compete for the processors.
    SANDBOX_CPU_WEIGHT: '1000',
  };
}

async function answerOf(response: Response): Promise<HttpAnswer> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
}
