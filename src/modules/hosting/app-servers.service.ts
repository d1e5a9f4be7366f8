import { Injectable } from '@nestjs/common';
import type { NetworkCounts } from '../../platform/isolation/network/attached-network.js';
import type { LaunchEnd } from '../../platform/isolation/launch-spec.js';
import { Shutdown } from '../../platform/lifecycle/shutdown.js';
import { DEFAULT_HEALTH_PATH, START_TIMEOUT_MS } from '../projects/project-settings.js';
import type { ServerCommand } from './built-output.js';
import { DeployEnvironment } from './deploy-environment.js';
import { AppUnavailable, ServerDidNotStart } from './hosting.errors.js';
import type { Manifest } from './ingest/manifest.js';
import { spoken } from './server-commands.js';
import { type AppAllowance, AppAllowances } from './servers/app-allowances.js';
import { AppLauncher, PACE, PORT } from './servers/app-launcher.js';
import { AppLogs } from './servers/app-logs.js';
import { AppServer } from './servers/app-server.js';
import { AppSlots, type Slot } from './servers/app-slots.js';
import { IdleServers } from './servers/idle-servers.js';
import { MaskedOutput } from './servers/masked-output.js';
import { RefusalNotes } from './servers/refusal-notes.js';
import { statusOf } from './servers/server-probe.js';
import { StartFailure } from './servers/start-failure.js';
import { type LoadedSite, Sites } from './site/sites.js';

const PROBE_PAUSE_MS = 100;
/** A server that ends sooner than this has failed. The pause before the next start doubles with each failure. */
const SETTLED_AFTER_MS = 30_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Others wait for the end of a server: no longer than this for what it has written. */
const KEEP_AT_END_MS = 2_000;
/** The crashes of more deploys than this are not counted between two calls of `takeCrashes`. */
const MAX_COUNTED = 1_000;

/** These lines go to the log of the app. Visitors see less. */
const REFUSED: Readonly<Record<AppUnavailable['reason'], string>> = {
  plan:
    "The server was not started: the plan's limit of running servers is reached. " +
    'Close requests that are held open, or upgrade.',
  full: 'The server was not started: this machine has no free slot. The next request tries again.',
  failed: 'The server was not started: it failed a moment ago. A request after a short pause tries again.',
};

type OnLine = (stream: 'stdout' | 'stderr' | 'system', text: string) => void;

interface Start {
  readonly deployId: string;
  readonly environment: Promise<Readonly<Record<string, string>>>;
  readonly onLine: OnLine;
  /** True when the caller itself limits the time of the start. */
  readonly isCheck: boolean;
}

interface Prepared {
  readonly orgId: string;
  readonly manifest: Manifest;
  readonly allowance: AppAllowance;
  readonly slot: Slot<AppServer>;
}

/** The start of a server before its deploy goes live. */
export interface StartCheck {
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Receives each line that the server prints until the check is over, and lines of the platform. */
  readonly onLine?: OnLine;
}

interface Failures {
  readonly count: number;
  readonly untilMs: number;
}

/** Runs the servers of deploys in this process. */
@Injectable()
export class AppServersService {
  private readonly servers = new Map<string, Promise<AppServer>>();
  private readonly alive = new Map<string, AppServer>();
  private readonly failures = new Map<string, Failures>();
  private readonly slots = new AppSlots<AppServer>();
  private readonly refusals = new RefusalNotes();
  private crashes = new Map<string, number>();
  private started = 0;
  private crashed = 0;
  private closed = false;

  constructor(
    private readonly sites: Sites,
    private readonly launcher: AppLauncher,
    private readonly logs: AppLogs,
    private readonly environments: DeployEnvironment,
    private readonly allowances: AppAllowances,
    private readonly idle: IdleServers,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.close());
  }

  /**
   * Starts the server of a deploy and waits until its health path answers with a status below 500. The server stays up
   * afterwards, until it is idle for long enough.
   *
   * @throws {ServerDidNotStart}
   * @throws the signal's reason when it was aborted.
   */
  async check(deployId: string, { environment, signal, onLine = ignore }: StartCheck): Promise<void> {
    signal.throwIfAborted();
    await this.stop(deployId);
    let isOver = false;
    const failure = new StartFailure();
    const command = serverOf(await this.siteOf(deployId));
    onLine('system', `$ ${spoken(command.command)}`);
    const server = await this.begin({
      deployId,
      environment: Promise.resolve(environment),
      onLine: (stream, text) => {
        if (isOver) return;
        failure.line(text);
        onLine(stream, text);
      },
      isCheck: true,
    });
    const release = await server.use();
    try {
      await this.requireAnswer(server, command, signal, failure);
    } catch (error) {
      await server.end();
      throw error instanceof ServerDidNotStart && failure.reason !== null && !error.message.endsWith(failure.reason)
        ? new ServerDidNotStart(`${error.message} ${failure.reason}`)
        : error;
    } finally {
      isOver = true;
      release();
    }
  }

  /** Ends the server of a deploy in this process, if it runs. */
  async stop(deployId: string): Promise<void> {
    const server = await this.servers.get(deployId)?.catch(() => undefined);
    await server?.end();
  }

  /**
   * The running and the frozen servers of this process, and how many have started and crashed since it started.
   */
  get counts(): {
    readonly running: number;
    readonly frozen: number;
    readonly started: number;
    readonly crashed: number;
  } {
    const frozen = [...this.alive.values()].filter(({ isFrozen }) => isFrozen).length;
    return { running: this.alive.size - frozen, frozen, started: this.started, crashed: this.crashed };
  }

  /** Returns how often the servers of each deploy have ended by themselves since the last call. */
  takeCrashes(): ReadonlyMap<string, number> {
    const { crashes } = this;
    this.crashes = new Map();
    return crashes;
  }

  /** Returns the most memory that each running server of this process has used so far. */
  memory(): { readonly deployId: string; readonly memoryPeakBytes: number }[] {
    return [...this.alive.values()]
      .filter(({ isAlive, isFrozen }) => isAlive && !isFrozen)
      .map(({ deployId, memoryPeakBytes }) => ({ deployId, memoryPeakBytes }));
  }

  /** What the servers of this process have exchanged with the network since it started, as last counted. */
  get networkTotals(): NetworkCounts {
    return this.launcher.networkTotals;
  }

  /** What the running server of a deploy has exchanged with the network; null when it has none in this process. */
  networkCountsOf(deployId: string): Promise<NetworkCounts | null> {
    return this.launcher.networkCountsOf(deployId);
  }

  /**
   * Returns the server of a deploy for one request. It is started if necessary, once for all concurrent requests.
   *
   * @throws {AppUnavailable} when the server may not be started now.
   */
  async reach(deployId: string): Promise<AppServer> {
    const known = this.servers.get(deployId);
    if (known !== undefined) return known;
    const failed = this.failures.get(deployId);
    if (failed !== undefined && performance.now() < failed.untilMs) throw new AppUnavailable('failed');
    return this.begin({ deployId, environment: this.environments.of(deployId), onLine: ignore, isCheck: false });
  }

  private begin(start: Start): Promise<AppServer> {
    const { deployId, environment } = start;
    // The promise is awaited later or never, so its rejection must not be unhandled.
    environment.catch(() => undefined);
    if (this.closed) throw new AppUnavailable('full');
    const starting = this.startInSlot(start);
    this.servers.set(deployId, starting);
    this.idle.watch(() => this.alive.values());
    starting.catch(() => {
      this.forget(deployId, starting);
    });
    return starting;
  }

  private async startInSlot(start: Start): Promise<AppServer> {
    const { deployId } = start;
    const loaded = await this.siteOf(deployId);
    const allowance = await this.allowances.of(loaded.orgId);
    const slot = await this.takeSlot(deployId, loaded.orgId, allowance);
    try {
      return await this.start(start, { orgId: loaded.orgId, manifest: loaded.site.manifest, allowance, slot });
    } catch (error) {
      this.slots.release(slot);
      throw error;
    }
  }

  private async siteOf(deployId: string): Promise<LoadedSite> {
    const loaded = this.sites.known(deployId) ?? (await this.sites.find(deployId));
    if (loaded?.site.hasServer !== true) throw new ServerDidNotStart('The deploy has no server.');
    return loaded;
  }

  /** An evicted server ends before its slot is used, so that there are never more servers than slots. */
  private async takeSlot(deployId: string, orgId: string, { servers }: AppAllowance): Promise<Slot<AppServer>> {
    try {
      const { slot, evicted } = this.slots.take(orgId, servers);
      if (evicted === undefined) return slot;
      // The next request for the evicted server starts it again.
      this.servers.delete(evicted.deployId);
      await evicted.keep(KEEP_AT_END_MS);
      await evicted.end();
      return slot;
    } catch (error) {
      if (error instanceof AppUnavailable && this.refusals.isDue(deployId))
        this.logs.add(deployId, 'system', REFUSED[error.reason]);
      throw error;
    }
  }

  private async start(
    { deployId, environment, onLine, isCheck }: Start,
    { orgId, manifest, allowance, slot }: Prepared,
  ): Promise<AppServer> {
    const output = new MaskedOutput((stream, text) => {
      this.logs.add(deployId, stream, text);
    });
    const masking = output.prepare(this.environments.maskOf(deployId));
    const services = this.environments.servicesOf(deployId);
    // The promise is awaited later or never, so its rejection must not be unhandled.
    services.catch(() => undefined);
    const launched = await this.launcher.launch({
      deployId,
      orgId,
      manifest,
      allowance,
      environment: masking.then(() => environment),
      services,
      line: (stream, text) => {
        output.line(stream, text);
        onLine(stream, text);
      },
      dropped: (lines) => {
        const text = `${lines} lines were dropped: the server printed more than ${PACE.linesPerSecond} lines a second.`;
        this.logs.add(deployId, 'system', text);
        onLine('system', text);
      },
    });
    const server = new AppServer(deployId, launched);
    const mine = this.servers.get(deployId);
    slot.server = server;
    this.alive.set(deployId, server);
    this.started++;
    if (!isCheck) this.limitStart(server, manifest);
    void launched.program.exited.then(({ cause, exitStatus }) => {
      this.slots.release(slot);
      if (this.alive.get(deployId) === server) this.alive.delete(deployId);
      this.forget(deployId, mine);
      server.agent.destroy();
      if (cause === 'destroyed' && !server.wasTooSlow) return;
      this.crashed++;
      if (this.crashes.size < MAX_COUNTED) this.crashes.set(deployId, (this.crashes.get(deployId) ?? 0) + 1);
      this.logs.add(
        deployId,
        'system',
        server.wasTooSlow
          ? tooSlow(startTimeoutOf(manifest.server!))
          : `The server ended: ${cause === 'exit' ? `exit status ${exitStatus ?? 'unknown'}` : cause}.`,
      );
      this.failed(server);
    });
    return server;
  }

  /** Ends a server that does not listen within its time after a request, so that its visitors get an answer. */
  private limitStart(server: AppServer, manifest: Manifest): void {
    const timer = setTimeout(() => {
      // A frozen one would be counted as a failure although nobody waits for it.
      if (server.isFrozen) void server.end();
      else server.endTooSlow();
    }, startTimeoutOf(manifest.server!)).unref();
    const stop = (): void => {
      clearTimeout(timer);
    };
    server.listening.then(stop, stop);
  }

  private forget(deployId: string, starting: Promise<AppServer> | undefined): void {
    if (this.servers.get(deployId) === starting) this.servers.delete(deployId);
  }

  private failed({ deployId, startedAtMs }: AppServer): void {
    this.forgetOldFailures();
    const before = performance.now() - startedAtMs > SETTLED_AFTER_MS ? 0 : (this.failures.get(deployId)?.count ?? 0);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** before);
    this.failures.set(deployId, { count: before + 1, untilMs: performance.now() + pauseMs });
  }

  private forgetOldFailures(): void {
    const now = performance.now();
    for (const [deployId, { untilMs }] of this.failures)
      if (now > untilMs + SETTLED_AFTER_MS) this.failures.delete(deployId);
  }

  private async requireAnswer(
    server: AppServer,
    command: ServerCommand,
    signal: AbortSignal,
    failure: StartFailure,
  ): Promise<void> {
    const withinMs = startTimeoutOf(command);
    const path = command.healthPath ?? DEFAULT_HEALTH_PATH;
    const deadline = performance.now() + withinMs;
    let status: number | undefined;
    while (performance.now() < deadline) {
      signal.throwIfAborted();
      if (!server.isAlive) throw new ServerDidNotStart(ended(command, await server.exited, failure));
      // The last attempt may run out of time, so an earlier status is kept: it says more.
      const leftMs = Math.max(1, deadline - performance.now());
      status = (await statusOf(server, path, leftMs, signal).catch(() => undefined)) ?? status;
      if (status !== undefined && status < 500) return;
      await new Promise((resolve) => {
        setTimeout(resolve, PROBE_PAUSE_MS);
      });
    }
    signal.throwIfAborted();
    if (!server.isListening) throw new ServerDidNotStart(tooSlow(withinMs, failure.reason));
    const seconds = withinMs / 1000;
    throw new ServerDidNotStart(
      status === undefined
        ? `GET ${path} was not answered within ${seconds} s. Set health_path to a path that answers, or a longer ` +
            `start_timeout_ms (at most ${START_TIMEOUT_MS.max}).`
        : `GET ${path} answered with ${status} for ${seconds} s. ` +
            (failure.reason ?? 'Set health_path to a path that answers with a status below 500.'),
    );
  }

  private async close(): Promise<void> {
    this.closed = true;
    this.idle.close();
    await Promise.all([...this.alive.values()].map((server) => server.keep(KEEP_AT_END_MS)));
    await Promise.all([...this.servers.keys()].map((deployId) => this.stop(deployId)));
  }
}

const ignore = (): void => undefined;

const serverOf = ({ site }: LoadedSite): ServerCommand => site.manifest.server!;

const startTimeoutOf = ({ startTimeoutMs }: ServerCommand): number => startTimeoutMs ?? START_TIMEOUT_MS.default;

const ended = ({ command }: ServerCommand, { cause, exitStatus }: LaunchEnd, failure: StartFailure): string =>
  cause === 'exit' && exitStatus === 0 && failure.reason === null
    ? `The server ended by itself, without an error: ${spoken(command).slice(0, 200)}. Expected is a program that ` +
      'keeps running and listens on the port in PORT. Set start_command to one that starts it.'
    : `The server ended before it answered: ${spoken(command).slice(0, 200)}. The log has its output. ` +
      (failure.reason ?? failure.usualFix);

const tooSlow = (withinMs: number, reason: string | null = null): string =>
  `The server did not listen on port ${PORT} within ${withinMs / 1000} s. ` +
  (reason ??
    `Make it listen on the port in PORT, or set a longer start_timeout_ms (at most ${START_TIMEOUT_MS.max}). A program ` +
      'that answers no requests, such as a bot, cannot be deployed.');
