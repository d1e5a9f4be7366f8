import { type IsolatedProcess } from '../../../platform/isolation/isolated-process.js';
import { type Ended, type ProcessesInside } from '../../../platform/isolation/isolation-spec.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { type ArtifactSink } from '../domain/artifacts.js';
import { type Deliveries, DeliveryReader } from '../languages/deliveries.js';
import { type Interpreter } from '../languages/interpreter.js';
import { type PackagesInside, packagesInside } from '../languages/package-mounts.js';
import { readReport } from '../languages/report.js';
import {
  type OutputListener,
  PROCESSES,
  type SandboxLimits,
  type SandboxOutcome,
  type SandboxReadiness,
  type SandboxRun,
} from '../domain/sandbox-runtime.js';
import { ForkServer } from './fork-server.js';
import { Interpreters, limitsOf, processesInside } from './interpreters.js';
import { ObservedRuntime } from './observed-runtime.js';
import { outcomeOf } from './outcome.js';
import { OutputFeed } from './output-feed.js';
import { type PoolEvent, type PoolListener, type PoolReading } from './pool-events.js';
import { poolSize } from './pool-size.js';
import { probeSandbox, readinessAfter, type SandboxTools, startTemplate } from './probe.js';
import { WarmPool } from './warm-pool.js';
import { localeVariables, workOptionsOf } from './work-options.js';

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

/** What a run has that its sandbox must be started with, or null. */
function ownPlaceOf({ language, options, packages }: SandboxRun): PackagesInside | null {
  const locale = localeVariables(options?.locale);
  if (packages === undefined) return options?.locale === undefined ? null : { mounts: [], environment: locale };
  const { mounts, environment } = packagesInside(language, packages.directory);
  return { mounts, environment: { ...environment, ...locale } };
}

type Pool = WarmPool<IsolatedProcess>;

/** What one pool keeps ready. */
interface Kind {
  readonly interpreter: Interpreter;
  readonly processes: ProcessesInside;
  /** Null where its sandboxes are started by themselves. */
  readonly forkServer: ForkServer | null;
}

interface PoolOf extends Kind {
  readonly pool: Pool;
}

interface WatchedRun {
  readonly run: SandboxRun;
  readonly signal: AbortSignal | undefined;
  /** Null when the output is only wanted at the end. */
  readonly feed: OutputFeed | null;
  readonly artifacts: ArtifactSink | null;
}

interface DeliveredRun {
  readonly ended: Ended;
  /** Null for a run without results and artifacts. */
  readonly delivered: Deliveries | null;
  /** False when another attempt would be noticed. */
  readonly canRepeat: boolean;
}

/** What is set when a sandbox starts. */
type StartedWith = Pick<SandboxLimits, 'memoryBytes' | 'timeoutMs' | 'processes' | 'artifactBytes'> & {
  readonly egressDirectory?: string | undefined;
};

/**
 * Runs code in sandboxes that were started in advance, as forks where the interpreter can fork. Each is used once and
 * destroyed.
 */
export class PooledRuntime extends ObservedRuntime {
  private readonly interpreters: Interpreters;
  private readonly pools: readonly PoolOf[];
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
    const kinds = this.interpreters.all.flatMap((interpreter) =>
      (isolation.countsProcesses ? (['threads', 'any'] as const) : (['threads'] as const)).map((processes) => ({
        interpreter,
        processes,
        forkServer: this.createForkServer(interpreter, processes),
      })),
    );
    this.size =
      options.poolSize ??
      poolSize({
        concurrency: options.concurrency,
        capacity: isolation.capacity,
        pools: kinds.length,
        templates: kinds.filter(({ forkServer }) => forkServer !== null).length,
      });
    this.pools = kinds.map((kind) => ({ ...kind, pool: this.createPool(kind) }));
  }

  get readiness(): SandboxReadiness {
    return this.lastReadiness;
  }

  get readings(): readonly PoolReading[] {
    return this.pools.map(({ interpreter: { name, languages }, processes, forkServer, pool: { ready, starting } }) => ({
      interpreter: name,
      languages,
      startsProcesses: processes === 'any',
      ready,
      starting,
      size: this.size,
      forks: forkServer?.isReady ?? false,
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

    await Promise.all(this.pools.map(async ({ forkServer }) => forkServer?.open()));
    for (const { pool } of this.pools) pool.open();
    return found.readiness;
  }

  async run(
    run: SandboxRun,
    signal?: AbortSignal,
    onOutput?: OutputListener,
    artifacts?: ArtifactSink,
  ): Promise<SandboxOutcome> {
    const tools = this.tools;
    if (tools === null || !this.lastReadiness.available) throw new Error('The sandbox is not available.');
    signal?.throwIfAborted();
    if (run.egressDirectory !== undefined && !this.isolation.countsSockets)
      return withoutNetwork(tools.runtimes[run.language], run.limits);

    const feed = onOutput === undefined ? null : new OutputFeed(onOutput);
    try {
      const { ended, delivered } = await this.runToEnd({ run, signal, feed, artifacts: artifacts ?? null });
      feed?.end({ stdout: ended.stdout.truncated, stderr: ended.stderr.truncated });
      const report = readReport(delivered?.facts ?? ended.report);
      return { ...outcomeOf(ended, report, tools.runtimes[run.language]), ...deliveredOf(run, delivered) };
    } finally {
      feed?.close();
    }
  }

  async close(): Promise<void> {
    const closing = [...this.pools.map(({ pool }) => pool), ...this.pools.map(({ forkServer }) => forkServer)].map(
      async (each) => each?.close(),
    );
    await this.isolation.close();
    await Promise.all(closing);
  }

  private async runToEnd(watched: WatchedRun): Promise<DeliveredRun> {
    const first = await this.runOnce(watched, this.poolFor(watched.run));
    // An interrupted run left nothing behind, so it can simply run again, unless output got out. It gets a new sandbox,
    // because whatever ended the first one may have ended all warm ones.
    const runsAgain = first.ended.interrupted && first.canRepeat;
    const last = runsAgain ? await this.runOnce(watched, null) : first;
    if (last.ended.interrupted) throw new Error('The sandbox was ended from outside.');
    return last;
  }

  private async runOnce(watched: WatchedRun, pool: Pool | null): Promise<DeliveredRun> {
    const { run, artifacts } = watched;
    const { artifactBytes = null } = run.limits;
    const sends = artifactBytes !== null || run.options?.richResults === true;
    const reader = sends ? new DeliveryReader({ artifactBytes }, artifacts) : null;
    const ended = await this.runIn(watched, pool, reader);
    return {
      ended,
      delivered: (await reader?.end()) ?? null,
      canRepeat: watched.feed?.hasOutput !== true && reader?.hasDelivered !== true,
    };
  }

  private async runIn(
    { run, signal, feed }: WatchedRun,
    pool: Pool | null,
    reader: DeliveryReader | null,
  ): Promise<Ended> {
    const interpreter = this.interpreters.get(run.language);
    const { timeoutMs, outputBytes } = run.limits;
    const askedAtMs = performance.now();
    const work = (sandbox: IsolatedProcess, warm: boolean): Promise<Ended> => {
      this.emit({ kind: 'acquired', language: run.language, seconds: (performance.now() - askedAtMs) / 1000, warm });
      return sandbox.run(
        {
          input: interpreter.input(run, workOptionsOf(run, this.isolation)),
          stdin: Buffer.from(run.stdin),
          ...(feed === null
            ? {}
            : {
                onOutput: (stream, chunk) => {
                  feed.take(stream, chunk);
                },
              }),
          ...(reader === null ? {} : { onReport: (chunk) => reader.take(chunk) }),
        },
        { wallMs: timeoutMs, cpuMs: timeoutMs, outputBytes },
        signal,
      );
    };
    if (pool !== null) return pool.use(work, signal);
    const asked = { ...run.limits, egressDirectory: run.egressDirectory };
    return work(await this.start(this.kindOf(run), asked, ownPlaceOf(run)), false);
  }

  /**
   * The time limit is enforced from outside and can vary, but memory is fixed when a sandbox starts, and so is the
   * locale, which interpreters read once, and so are packages.
   */
  private poolFor(run: SandboxRun): Pool | null {
    const { limits, options, packages } = run;
    const warm = this.options.limits;
    const fits = limits.memoryBytes === warm.memoryBytes && limits.timeoutMs <= warm.timeoutMs;
    const kind = this.kindOf(run);
    const hasDirectory = limits.artifactBytes === undefined || kind.processes === 'any';
    const isOrdinary = options?.locale === undefined && packages === undefined && run.egressDirectory === undefined;
    return fits && hasDirectory && isOrdinary ? kind.pool : null;
  }

  /** Where nothing limits several processes together, a run has to do with one. */
  private kindOf({ language, limits }: SandboxRun): PoolOf {
    const interpreter = this.interpreters.get(language);
    return this.poolOf(interpreter, this.isolation.countsProcesses ? processesInside(limits) : 'threads');
  }

  private poolOf(interpreter: Interpreter, processes: ProcessesInside): PoolOf {
    return this.pools.find((of) => of.interpreter === interpreter && of.processes === processes)!;
  }

  private createPool(kind: Kind): Pool {
    const { name } = kind.interpreter;
    const limits = { ...this.options.limits, processes: PROCESSES };
    return new WarmPool({
      size: this.size,
      startsAtOnce: this.options.concurrency,
      maxAgeMs: MAX_AGE_MS,
      start: () => this.start(kind, limits),
      isSpent: (member) => kind.forkServer?.isSpentFork(member) ?? false,
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

  private createForkServer(interpreter: Interpreter, processes: ProcessesInside): ForkServer | null {
    const { name, template } = interpreter;
    if (this.options.forkServer === 'off' || template === null) return null;
    return new ForkServer({
      maxForks: MAX_FORKS,
      maxAgeMs: MAX_AGE_MS,
      start: () => startTemplate(this.isolation, this.interpreters, { interpreter, processes }),
      onStarted: () => {
        this.emit({ kind: 'template_started', interpreter: name });
      },
      onRetired: () => {
        this.poolOf(interpreter, processes).pool.replaceSpent();
      },
      onFailed: (error) => {
        this.emit({ kind: 'template_failed', interpreter: name, error });
      },
    });
  }

  private async start(
    { interpreter, processes, forkServer }: Kind,
    { memoryBytes, timeoutMs: cpuMs, processes: allowed, artifactBytes, egressDirectory }: StartedWith,
    own: PackagesInside | null = null,
  ): Promise<IsolatedProcess> {
    const asked = { memoryBytes, cpuMs, artifactBytes, egressDirectory, processes: processes === 'any' ? allowed : 0 };
    // A fork has the environment and the files of its template, and its directories.
    const isOrdinary = own === null && egressDirectory === undefined;
    const server = isOrdinary && (artifactBytes === undefined || processes === 'any') ? forkServer : null;
    const forked = await server?.fork((template) => this.isolation.fork(template, limitsOf(interpreter, asked)));
    if (forked != null) return forked;
    const spec = await this.interpreters.specOf(interpreter, asked);
    if (own === null) return this.isolation.start(spec);
    const environment = { ...spec.environment, ...own.environment };
    return this.isolation.start({ ...spec, environment, mounts: [...spec.mounts, ...own.mounts] });
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

function deliveredOf(
  { limits, options }: SandboxRun,
  delivered: Deliveries | null,
): Pick<SandboxOutcome, 'results' | 'artifactErrors'> {
  if (delivered === null) return {};
  return {
    ...(options?.richResults === true ? { results: delivered.results } : {}),
    ...(limits.artifactBytes === undefined ? {} : { artifactErrors: delivered.errors }),
  };
}

/** Where nothing counts the memory of sockets, programs have none, and the way out is one. */
function withoutNetwork(runtime: SandboxOutcome['runtime'], limits: SandboxLimits): SandboxOutcome {
  const message = 'Executions have no network here, because this machine limits memory without cgroups.';
  return {
    status: 'failed',
    stdout: '',
    stderr: `${message}\n`,
    exitCode: 1,
    signal: null,
    durationMs: 0,
    cpuMs: 0,
    memoryPeakBytes: 0,
    truncated: { stdout: false, stderr: false },
    runtime,
    error: { name: 'NetworkUnavailable', message },
    ...(limits.artifactBytes === undefined ? {} : { artifactErrors: [] }),
  };
}
