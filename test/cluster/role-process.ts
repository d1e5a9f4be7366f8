import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, closeSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onThisMachine } from '../support/patience.js';

const ROOT = join(__dirname, '../..');
const READY_WITHIN_MS = 60_000;
const POLL_MS = 25;

interface RoleProcessOptions {
  readonly role: 'api' | 'edge' | 'worker';
  readonly name: string;
  /** The port of the API, or of probes and metrics in the other roles. */
  readonly port: number;
  /** The port of the hosts of deploys, in the role `edge`. */
  readonly appsPort?: number;
  /** It keeps its data below, as a machine of its own does; repositories are shared by all. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A process of one role as it runs on a machine of its own. It is started again on the same ports. */
export class RoleProcess {
  private child: ChildProcess | undefined;
  private readonly dataDir: string;
  private readonly logFile: string;
  /** Ends that no drill asked for. */
  readonly faults: string[] = [];
  private isToEnd = false;

  constructor(private readonly options: RoleProcessOptions) {
    this.dataDir = join(options.directory, options.name);
    this.logFile = join(options.directory, `${options.name}.log`);
    mkdirSync(this.dataDir);
    symlinkSync(join(options.directory, 'repositories'), join(this.dataDir, 'repositories'));
  }

  get name(): string {
    return this.options.name;
  }

  get port(): number {
    return this.options.port;
  }

  get appsPort(): number {
    return this.options.appsPort!;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.child!.pid!;
  }

  get log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  /** Resolves when it is ready. @throws {Error} with the end of its log when it exits instead. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const { role, port, appsPort } = this.options;
    const log = openSync(this.logFile, 'a');
    this.isToEnd = false;
    const child = spawn(process.execPath, [join(ROOT, 'dist/src/main.js'), role], {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'] ?? '/',
        PORT: String(port),
        DATA_DIR: this.dataDir,
        ...(appsPort === undefined ? {} : { APPS_PORT: String(appsPort) }),
        ...this.options.env,
        ...env,
      },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.child = child;
    child.once('exit', (code, signal) => {
      if (!this.isToEnd)
        this.faults.push(`${this.name} ended by itself with ${signal ?? code}: ${this.log.slice(-1_000)}`);
    });
    const untilMs = performance.now() + onThisMachine(READY_WITHIN_MS);
    while (!(await this.isReady())) {
      if (!this.isRunning || performance.now() > untilMs)
        throw new Error(`${this.name} is not ready: ${this.log.slice(-3_000)}`);
      await sleep(POLL_MS);
    }
  }

  /** Stops it in order. @throws {Error} when it does not end as it should. */
  async stop(): Promise<void> {
    const code = await this.end('SIGTERM');
    if (code !== 0) throw new Error(`${this.name} ended with ${code}: ${this.log.slice(-3_000)}`);
  }

  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  freeze(): void {
    this.child!.kill('SIGSTOP');
  }

  thaw(): void {
    this.child!.kill('SIGCONT');
  }

  isReady(): Promise<boolean> {
    return fetch(`${this.url}/ready`, { signal: AbortSignal.timeout(5_000) }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.ok;
      },
      () => false,
    );
  }

  private get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  private async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (!this.isRunning) return 0;
    this.isToEnd = true;
    const ended = once(this.child!, 'exit');
    this.child!.kill(signal);
    const [code] = (await ended) as [number | null];
    return code;
  }
}
