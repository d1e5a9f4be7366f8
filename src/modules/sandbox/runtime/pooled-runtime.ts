import { type IsolatedProcess } from '../../../platform/isolation/isolated-process.js';
import { type Ended } from '../../../platform/isolation/isolation-spec.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { type Interpreter } from '../languages/interpreter.js';
import { readReport } from '../languages/report.js';
import { type SandboxOutcome, type SandboxReadiness, type SandboxRun } from '../domain/sandbox-runtime.js';
import { Interpreters } from './interpreters.js';
import { ObservedRuntime } from './observed-runtime.js';
import { outcomeOf } from './outcome.js';
import { type PoolEvent, type PoolListener, type PoolReading } from './pool-events.js';
import { poolSize } from './pool-size.js';
import { probeSandbox, readinessAfter, type SandboxTools } from './probe.js';
import { WarmPool } from './warm-pool.js';

const NOT_PROBED: SandboxReadiness = { available: false, missing: ['the start-up probe, which has not run yet'] };

/** Its memory is given back, and what was exchanged on the machine meanwhile is used. */
const MAX_AGE_MS = 10 * 60_000;

/** So many in a row, and the machine is taken to be broken until one comes up again. */
const FAILURES_UNTIL_UNAVAILABLE = 5;

export interface PooledRuntimeOptions {
  /** How many runs at a time are asked for; what a machine with so many processors can do. */
  readonly concurrency: number;
  /** The limits of the sandboxes that are kept warm. A run of other memory, or more time, starts its own. */
  readonly limits: { readonly memoryBytes: number; readonly timeoutMs: number };
  /** Warm sandboxes per interpreter; 0 keeps none. Unset, it follows from the concurrency. */
  readonly poolSize?: number;
}

type Pool = WarmPool<IsolatedProcess>;

/** Runs code in sandboxes that were started ahead of it, each used once and destroyed. */
export class PooledRuntime extends ObservedRuntime {
  private readonly interpreters: Interpreters;
  private readonly pools: ReadonlyMap<Interpreter, Pool>;
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
    this.size =
      options.poolSize ??
      poolSize({
        concurrency: options.concurrency,
        capacity: isolation.capacity,
        pools: this.interpreters.all.length,
      });
    this.pools = new Map(this.interpreters.all.map((interpreter) => [interpreter, this.makePool(interpreter)]));
  }

  get readiness(): SandboxReadiness {
    return this.lastReadiness;
  }

  get readings(): readonly PoolReading[] {
    return [...this.pools].map(([{ name, languages }, { ready, starting }]) => ({
      interpreter: name,
      languages,
      ready,
      starting,
      size: this.size,
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
    if (found.readiness.available) for (const pool of this.pools.values()) pool.open();
    return found.readiness;
  }

  async run(run: SandboxRun, signal?: AbortSignal): Promise<SandboxOutcome> {
    const tools = this.tools;
    if (tools === null || !this.lastReadiness.available) throw new Error('The sandbox is not available.');
    signal?.throwIfAborted();

    const first = await this.runOnce(run, signal, this.poolFor(run));
    // Nothing of the code's is left and nothing of it got out, so that it can simply run again; but whatever ended the
    // one sandbox may have ended all that are warm.
    const ended = first.interrupted ? await this.runOnce(run, signal, null) : first;
    if (ended.interrupted) throw new Error('The sandbox was ended from outside.');
    return outcomeOf(ended, readReport(ended.report), tools.runtimes[run.language]);
  }

  async close(): Promise<void> {
    const closing = [...this.pools.values()].map((pool) => pool.close());
    await this.isolation.close();
    await Promise.all(closing);
  }

  private async runOnce(run: SandboxRun, signal: AbortSignal | undefined, pool: Pool | null): Promise<Ended> {
    const interpreter = this.interpreters.get(run.language);
    const { timeoutMs, outputBytes } = run.limits;
    const askedAtMs = performance.now();
    const work = (sandbox: IsolatedProcess, warm: boolean): Promise<Ended> => {
      this.tell({ kind: 'acquired', language: run.language, seconds: (performance.now() - askedAtMs) / 1000, warm });
      return sandbox.run(
        { input: interpreter.input(run.language, run.code, run.files), stdin: Buffer.from(run.stdin) },
        { wallMs: timeoutMs, cpuMs: timeoutMs, outputBytes },
        signal,
      );
    };
    return pool === null ? work(await this.start(interpreter, run.limits), false) : pool.use(work, signal);
  }

  /** A limit on time is watched from outside and may be any; memory is fixed when a sandbox starts. */
  private poolFor({ language, limits }: SandboxRun): Pool | null {
    const warm = this.options.limits;
    const fits = limits.memoryBytes === warm.memoryBytes && limits.timeoutMs <= warm.timeoutMs;
    return (fits ? this.pools.get(this.interpreters.get(language)) : undefined) ?? null;
  }

  private makePool(interpreter: Interpreter): Pool {
    const { name } = interpreter;
    return new WarmPool({
      size: this.size,
      startsAtOnce: this.options.concurrency,
      maxAgeMs: MAX_AGE_MS,
      start: () => this.start(interpreter, this.options.limits),
      onStarted: (seconds) => {
        this.tell({ kind: 'started', interpreter: name, seconds });
      },
      onStartFailed: (error) => {
        this.tell({ kind: 'start_failed', interpreter: name, error });
      },
      onLost: () => {
        this.tell({ kind: 'lost', interpreter: name });
      },
    });
  }

  private async start(
    interpreter: Interpreter,
    limits: { memoryBytes: number; timeoutMs: number },
  ): Promise<IsolatedProcess> {
    const { memoryBytes, timeoutMs } = limits;
    return this.isolation.start(await this.interpreters.specOf(interpreter, { memoryBytes, cpuMs: timeoutMs }));
  }

  private tell(event: PoolEvent): void {
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
