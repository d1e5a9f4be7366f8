import { type IsolatedProcess } from '../../../platform/isolation/isolated-process.js';
import { type Ended } from '../../../platform/isolation/isolation-spec.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { type Interpreter } from '../languages/interpreter.js';
import { readReport } from '../languages/report.js';
import { type SandboxOutcome, type SandboxReadiness, type SandboxRun } from '../domain/sandbox-runtime.js';
import { ForkServer } from './fork-server.js';
import { Interpreters, limitsOf } from './interpreters.js';
import { ObservedRuntime } from './observed-runtime.js';
import { outcomeOf } from './outcome.js';
import { type PoolEvent, type PoolListener, type PoolReading } from './pool-events.js';
import { poolSize } from './pool-size.js';
import { probeSandbox, readinessAfter, type SandboxTools, startTemplate } from './probe.js';
import { WarmPool } from './warm-pool.js';

const NOT_PROBED: SandboxReadiness = { available: false, missing: ['the start-up probe, which has not run yet'] };

/** Old sandboxes and templates are replaced to return their memory and to pick up updates of the machine. */
const MAX_AGE_MS = 10 * 60_000;

/** A template is replaced after this many forks, because they share what it drew at random when it started. */
const MAX_FORKS = 1_000;

/** After this many failures in a row the machine counts as broken, until a sandbox starts again. */
const FAILURES_UNTIL_UNAVAILABLE = 5;

export interface PooledRuntimeOptions {
  /** The number of concurrent runs. */
  readonly concurrency: number;
  /** The limits of warm sandboxes. A run with other memory or more time starts its own sandbox. */
  readonly limits: { readonly memoryBytes: number; readonly timeoutMs: number };
  /** Warm sandboxes per interpreter; 0 keeps none. The default follows from the concurrency. */
  readonly poolSize?: number;
  /** `off` starts every sandbox by itself, also where an interpreter could fork it. */
  readonly forkServer: 'auto' | 'off';
}

type Pool = WarmPool<IsolatedProcess>;

/**
 * Runs code in sandboxes that were started in advance, as forks where the interpreter can fork. Each is used once and
 * destroyed.
 */
export class PooledRuntime extends ObservedRuntime {
  private readonly interpreters: Interpreters;
  private readonly pools: ReadonlyMap<Interpreter, Pool>;
  private readonly forkServers: ReadonlyMap<Interpreter, ForkServer>;
  private readonly size: number;
  private readonly listeners: PoolListener[] = [];
  private tools: SandboxTools | null = null;
  private lastReadiness: SandboxReadiness = NOT_PROBED;
  private failuresInARow = 0;

  constructor(
    private readonly isolation: Isolation,
    private readonly options: PooledRuntimeOptions,
  ) {
    super();
    this.interpreters = new Interpreters(isolation);
    const forking =
      options.forkServer === 'off' ? [] : this.interpreters.all.filter(({ template }) => template !== null);
    this.size =
      options.poolSize ??
      poolSize({
        concurrency: options.concurrency,
        capacity: isolation.capacity,
        pools: this.interpreters.all.length,
        templates: forking.length,
      });
    this.forkServers = new Map(forking.map((interpreter) => [interpreter, this.createForkServer(interpreter)]));
    this.pools = new Map(this.interpreters.all.map((interpreter) => [interpreter, this.createPool(interpreter)]));
  }

  get readiness(): SandboxReadiness {
    return this.lastReadiness;
  }

  get readings(): readonly PoolReading[] {
    return [...this.pools].map(([interpreter, { ready, starting }]) => ({
      interpreter: interpreter.name,
      languages: interpreter.languages,
      ready,
      starting,
      size: this.size,
      forks: this.forkServers.get(interpreter)?.isReady ?? false,
    }));
  }

  listen(listener: PoolListener): void {
    this.listeners.push(listener);
  }

  async probe(): Promise<SandboxReadiness> {
    const found = await probeSandbox(this.isolation, this.interpreters);
    this.tools = found.tools ?? this.tools;
    this.lastReadiness = found.readiness;
    this.failuresInARow = 0;
    if (!found.readiness.available) return found.readiness;

    await Promise.all([...this.forkServers.values()].map((server) => server.open()));
    for (const pool of this.pools.values()) pool.open();
    return found.readiness;
  }

  async run(run: SandboxRun, signal?: AbortSignal): Promise<SandboxOutcome> {
    const tools = this.tools;
    if (tools === null || !this.lastReadiness.available) throw new Error('The sandbox is not available.');
    signal?.throwIfAborted();

    const first = await this.runOnce(run, signal, this.poolFor(run));
    // An interrupted run left nothing behind and no output got out, so it can simply run again. It gets a new sandbox,
    // because whatever ended the first one may have ended all warm ones.
    const ended = first.interrupted ? await this.runOnce(run, signal, null) : first;
    if (ended.interrupted) throw new Error('The sandbox was ended from outside.');
    return outcomeOf(ended, readReport(ended.report), tools.runtimes[run.language]);
  }

  async close(): Promise<void> {
    const closing = [...this.pools.values(), ...this.forkServers.values()].map((each) => each.close());
    await this.isolation.close();
    await Promise.all(closing);
  }

  private async runOnce(run: SandboxRun, signal: AbortSignal | undefined, pool: Pool | null): Promise<Ended> {
    const interpreter = this.interpreters.get(run.language);
    const { timeoutMs, outputBytes } = run.limits;
    const askedAtMs = performance.now();
    const work = (sandbox: IsolatedProcess, warm: boolean): Promise<Ended> => {
      this.emit({ kind: 'acquired', language: run.language, seconds: (performance.now() - askedAtMs) / 1000, warm });
      return sandbox.run(
        { input: interpreter.input(run.language, run.code, run.files), stdin: Buffer.from(run.stdin) },
        { wallMs: timeoutMs, cpuMs: timeoutMs, outputBytes },
        signal,
      );
    };
    return pool === null ? work(await this.start(interpreter, run.limits), false) : pool.use(work, signal);
  }

  /** The time limit is enforced from outside and can vary, but memory is fixed when a sandbox starts. */
  private poolFor({ language, limits }: SandboxRun): Pool | null {
    const warm = this.options.limits;
    const fits = limits.memoryBytes === warm.memoryBytes && limits.timeoutMs <= warm.timeoutMs;
    return (fits ? this.pools.get(this.interpreters.get(language)) : undefined) ?? null;
  }

  private createPool(interpreter: Interpreter): Pool {
    const { name } = interpreter;
    return new WarmPool({
      size: this.size,
      startsAtOnce: this.options.concurrency,
      maxAgeMs: MAX_AGE_MS,
      start: () => this.start(interpreter, this.options.limits),
      onStarted: (seconds) => {
        this.emit({ kind: 'started', interpreter: name, seconds });
      },
      onStartFailed: (error) => {
        this.emit({ kind: 'start_failed', interpreter: name, error });
      },
      onLost: () => {
        this.emit({ kind: 'lost', interpreter: name });
      },
    });
  }

  private createForkServer(interpreter: Interpreter): ForkServer {
    const { name } = interpreter;
    return new ForkServer({
      maxForks: MAX_FORKS,
      maxAgeMs: MAX_AGE_MS,
      start: () => startTemplate(this.isolation, this.interpreters, interpreter),
      onStarted: () => {
        this.emit({ kind: 'template_started', interpreter: name });
      },
      onFailed: (error) => {
        this.emit({ kind: 'template_failed', interpreter: name, error });
      },
    });
  }

  private async start(
    interpreter: Interpreter,
    { memoryBytes, timeoutMs: cpuMs }: { memoryBytes: number; timeoutMs: number },
  ): Promise<IsolatedProcess> {
    const limits = limitsOf(interpreter, { memoryBytes, cpuMs });
    const forked = await this.forkServers.get(interpreter)?.fork((template) => this.isolation.fork(template, limits));
    return forked ?? this.isolation.start(await this.interpreters.specOf(interpreter, { memoryBytes, cpuMs }));
  }

  private emit(event: PoolEvent): void {
    if (event.kind === 'started') this.recover();
    if (event.kind === 'start_failed') this.countFailure(event.error);
    for (const listener of this.listeners) listener(event);
  }

  private recover(): void {
    if (this.failuresInARow >= FAILURES_UNTIL_UNAVAILABLE)
      this.lastReadiness = { available: true, mode: this.isolation.mode };
    this.failuresInARow = 0;
  }

  private countFailure(error: unknown): void {
    this.failuresInARow += 1;
    if (this.failuresInARow >= FAILURES_UNTIL_UNAVAILABLE) this.lastReadiness = readinessAfter(error);
  }
}
