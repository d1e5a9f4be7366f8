import { Injectable } from '@nestjs/common';
import { Shutdown } from '../../platform/lifecycle/shutdown.js';
import { DeployEnvironment } from './deploy-environment.js';
import { AppUnavailable, ServerDidNotStart } from './hosting.errors.js';
import type { AppLogLine } from './persistence/app-log.store.js';
import type { Manifest } from './ingest/manifest.js';
import { type AppAllowance, AppAllowances } from './servers/app-allowances.js';
import { AppLauncher, PACE } from './servers/app-launcher.js';
import { AppLogs } from './servers/app-logs.js';
import { AppServer } from './servers/app-server.js';
import { AppSlots, type Slot } from './servers/app-slots.js';
import { IdleServers } from './servers/idle-servers.js';
import { RefusalNotes } from './servers/refusal-notes.js';
import { statusOf } from './servers/server-probe.js';
import { Sites } from './site/sites.js';

export type { AppLogLine };

const MAX_LAST_LINES = 20;
const START_TIMEOUT_MS = 15_000;
const PROBE_PAUSE_MS = 100;
/** A server that ends sooner than this has failed. The pause before the next start doubles with each failure. */
const SETTLED_AFTER_MS = 30_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** These lines go to the log of the app. Visitors see less. */
const REFUSED: Readonly<Record<AppUnavailable['reason'], string>> = {
  plan:
    "The server was not started: the plan's limit of running servers is reached. " +
    'Close requests that are held open, or upgrade.',
  full: 'The server was not started: this machine has no free slot. The next request tries again.',
  failed: 'The server was not started: it failed a moment ago. A request after a short pause tries again.',
};

interface Start {
  readonly deployId: string;
  readonly environment: Promise<Readonly<Record<string, string>>>;
  readonly onLine: (text: string) => void;
}

interface Prepared {
  readonly manifest: Manifest;
  readonly allowance: AppAllowance;
  readonly slot: Slot<AppServer>;
}

interface StartCheck {
  readonly lastLines: readonly string[];
  readonly signal: AbortSignal;
  readonly withinMs: number;
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
   * Starts the server of a deploy and waits until it answers with a status below 500. The server stays up afterwards,
   * until it is idle for long enough.
   *
   * @param withinMs how long the server may take to answer.
   * @throws {ServerDidNotStart} with the last lines of its output.
   * @throws the signal's reason when it was aborted.
   */
  async check(
    deployId: string,
    environment: Readonly<Record<string, string>>,
    signal: AbortSignal,
    withinMs = START_TIMEOUT_MS,
  ): Promise<void> {
    signal.throwIfAborted();
    await this.stop(deployId);
    const lastLines: string[] = [];
    const server = await this.begin(deployId, Promise.resolve(environment), (text) => {
      lastLines.push(text);
      if (lastLines.length > MAX_LAST_LINES) lastLines.shift();
    });
    const release = await server.use();
    try {
      await this.requireAnswer(server, { lastLines, signal, withinMs });
    } catch (error) {
      await server.end();
      throw error;
    } finally {
      release();
    }
  }

  /** Returns the last lines that the servers of a deploy printed, or the first ones after `after`, in order. */
  runtimeLogs(
    deployId: string,
    { after, limit = 500 }: { readonly after?: number; readonly limit?: number } = {},
  ): Promise<AppLogLine[]> {
    return this.logs.read(deployId, { after, limit });
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
    return this.begin(deployId, this.environments.of(deployId));
  }

  private begin(
    deployId: string,
    environment: Promise<Readonly<Record<string, string>>>,
    onLine: (text: string) => void = () => undefined,
  ): Promise<AppServer> {
    // The promise is awaited later or never, so its rejection must not be unhandled.
    environment.catch(() => undefined);
    if (this.closed) throw new AppUnavailable('full');
    const starting = this.startInSlot({ deployId, environment, onLine });
    this.servers.set(deployId, starting);
    this.idle.watch(() => this.alive.values());
    starting.catch(() => {
      this.forget(deployId, starting);
    });
    return starting;
  }

  private async startInSlot(start: Start): Promise<AppServer> {
    const { deployId } = start;
    const loaded = this.sites.known(deployId) ?? (await this.sites.find(deployId));
    if (loaded?.site.hasServer !== true) throw new ServerDidNotStart('The deploy has no server.', []);
    const allowance = await this.allowances.of(loaded.orgId);
    const slot = await this.takeSlot(deployId, loaded.orgId, allowance);
    try {
      return await this.start(start, { manifest: loaded.site.manifest, allowance, slot });
    } catch (error) {
      this.slots.release(slot);
      throw error;
    }
  }

  /** An evicted server ends before its slot is used, so that there are never more servers than slots. */
  private async takeSlot(deployId: string, orgId: string, { servers }: AppAllowance): Promise<Slot<AppServer>> {
    try {
      const { slot, evicted } = this.slots.take(orgId, servers);
      if (evicted === undefined) return slot;
      // The next request for the evicted server starts it again.
      this.servers.delete(evicted.deployId);
      await evicted.end();
      return slot;
    } catch (error) {
      if (error instanceof AppUnavailable && this.refusals.isDue(deployId))
        this.logs.add(deployId, 'system', REFUSED[error.reason]);
      throw error;
    }
  }

  private async start(
    { deployId, environment, onLine }: Start,
    { manifest, allowance, slot }: Prepared,
  ): Promise<AppServer> {
    const { program, socketPath } = await this.launcher.launch({
      deployId,
      manifest,
      allowance,
      environment,
      line: (stream, text) => {
        this.logs.add(deployId, stream, text);
        onLine(text);
      },
      dropped: (lines) => {
        this.logs.add(
          deployId,
          'system',
          `${lines} lines were dropped: the server printed more than ${PACE.linesPerSecond} lines a second.`,
        );
      },
    });
    const server = new AppServer(deployId, socketPath, program);
    const mine = this.servers.get(deployId);
    slot.server = server;
    this.alive.set(deployId, server);
    this.started++;
    void program.exited.then(({ cause, exitStatus }) => {
      this.slots.release(slot);
      if (this.alive.get(deployId) === server) this.alive.delete(deployId);
      this.forget(deployId, mine);
      server.agent.destroy();
      if (cause === 'destroyed') return;
      this.crashed++;
      this.logs.add(
        deployId,
        'system',
        `The server ended: ${cause === 'exit' ? `exit status ${exitStatus ?? 'unknown'}` : cause}.`,
      );
      this.failed(server);
    });
    return server;
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

  private async requireAnswer(server: AppServer, { lastLines, signal, withinMs }: StartCheck): Promise<void> {
    const deadline = performance.now() + withinMs;
    let status: number | undefined;
    while (performance.now() < deadline) {
      signal.throwIfAborted();
      if (!server.isAlive) throw new ServerDidNotStart('The server ended before it answered.', lastLines);
      // The last attempt may run out of time, so an earlier status is kept: it says more.
      status =
        (await statusOf(server, Math.max(1, deadline - performance.now()), signal).catch(() => undefined)) ?? status;
      if (status !== undefined && status < 500) return;
      await new Promise((resolve) => {
        setTimeout(resolve, PROBE_PAUSE_MS);
      });
    }
    const seconds = withinMs / 1000;
    throw new ServerDidNotStart(
      status === undefined
        ? `The server did not answer within ${seconds} seconds.`
        : `The server answered with ${status} for ${seconds} seconds.`,
      lastLines,
    );
  }

  private async close(): Promise<void> {
    this.closed = true;
    this.idle.close();
    await Promise.all([...this.servers.keys()].map((deployId) => this.stop(deployId)));
  }
}
