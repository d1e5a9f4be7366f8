import type { Socket } from 'node:net';
import type { Client } from 'pg';
import type { DatabaseActivity } from '../../persistence/database-rows.js';
import type { ClusterServer } from './cluster-server.js';
import { OpenConnections } from './open-connections.js';

export interface ClusterWork {
  /** Starts the server. No other server of the cluster runs. */
  readonly start: () => Promise<ClusterServer>;
  /** Called when the server has ended by itself. */
  readonly onCrash: (server: ClusterServer) => void;
}

/** Traffic within this time is activity. */
const ACTIVE_MS = 10_000;

/**
 * A cluster that is awake, or was so in this process. Each user holds it, and it is stopped only when there is none.
 */
export class Cluster {
  readonly connections = new OpenConnections();
  private users = 0;
  /** How many of the users are works of the service, which no byte of a client would continue. */
  private works = 0;
  private server: ClusterServer | undefined;
  private starting: Promise<ClusterServer> | undefined;
  private stopping: Promise<void> | undefined;
  private usedAtMs = performance.now();
  /** What keeps others out for the moment. */
  private exclusive: Promise<unknown> | undefined;

  constructor(
    readonly id: string,
    private readonly work: ClusterWork,
  ) {}

  /** True when it has a server, or is about to have one. */
  get isAwake(): boolean {
    return this.starting !== undefined || this.server !== undefined;
  }

  get isRunning(): boolean {
    return this.server?.isAlive === true && this.stopping === undefined;
  }

  get isFrozen(): boolean {
    return this.server?.frozen === true;
  }

  get isIdle(): boolean {
    return this.users === 0 && this.starting === undefined && this.exclusive === undefined;
  }

  /** True while the service itself uses it. */
  get hasWork(): boolean {
    return this.works > 0;
  }

  /** How long no client has used it. */
  get idleMs(): number {
    return this.isIdle ? performance.now() - this.usedAtMs : 0;
  }

  get activity(): DatabaseActivity {
    if (!this.isAwake) return 'asleep';
    if (this.isFrozen) return 'frozen';
    return this.connections.quietMs < ACTIVE_MS ? 'active' : 'idle';
  }

  /** Opens a connection of a client, which holds the cluster until it ends. */
  async connect(): Promise<Socket> {
    return this.hold(async (server) => {
      const connection = await server.connect(() => {
        this.connections.touch();
        if (server.frozen) this.thaw(server);
      });
      this.users++;
      this.usedAtMs = performance.now();
      this.connections.add(connection, () => {
        this.usedAtMs = performance.now();
        this.users--;
      });
      return connection;
    });
  }

  /** Asks the server as the superuser. It is woken if it sleeps. */
  ask<Answer>(question: (client: Client) => Promise<Answer>): Promise<Answer> {
    return this.hold((server) => server.asPlatform(question));
  }

  /** Holds the cluster awake while `work` runs. It is not frozen meanwhile. */
  async hold<Answer>(work: (server: ClusterServer) => Promise<Answer>): Promise<Answer> {
    this.users++;
    this.works++;
    try {
      return await work(await this.awake());
    } finally {
      this.users--;
      this.works--;
    }
  }

  /** Freezes the server if it still runs, and no work of the service uses it. Bytes thaw it. */
  async freeze(): Promise<void> {
    const { server } = this;
    if (server === undefined || !this.isRunning || this.hasWork) return;
    await server.freeze();
  }

  /** Stops the server, if it has one. Connections end. */
  async stop(): Promise<void> {
    await this.starting?.catch(() => undefined);
    const { server } = this;
    if (server === undefined) return;
    this.stopping ??= server.stop().finally(() => {
      this.connections.endAll();
      this.stopping = undefined;
      if (this.server === server) this.server = undefined;
    });
    await this.stopping;
  }

  /** Runs `work` while the server is stopped. Those who want to use it wait. */
  async whileStopped<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    while (this.exclusive !== undefined) await this.exclusive.catch(() => undefined);
    const done = this.stop().then(work);
    this.exclusive = done;
    try {
      return await done;
    } finally {
      this.exclusive = undefined;
    }
  }

  /** True while the server is being stopped, or must not run. */
  private get isClosed(): boolean {
    return this.exclusive !== undefined || this.stopping !== undefined;
  }

  private async awake(): Promise<ClusterServer> {
    for (;;) {
      while (this.exclusive !== undefined) await this.exclusive.catch(() => undefined);
      await this.stopping;
      const server = this.server ?? (await (this.starting ??= this.start()));
      if (this.isClosed) continue;
      if (server.isAlive && this.server === server) {
        if (server.frozen) this.thaw(server);
        return server;
      }
      if (this.server === server) this.server = undefined;
    }
  }

  private async start(): Promise<ClusterServer> {
    try {
      const server = await this.work.start();
      this.server = server;
      this.usedAtMs = performance.now();
      this.connections.touch();
      void server.exited.then(() => {
        this.ended(server);
      });
      return server;
    } finally {
      this.starting = undefined;
    }
  }

  private ended(server: ClusterServer): void {
    if (this.server !== server) return;
    if (this.stopping === undefined) {
      this.server = undefined;
      this.connections.endAll();
      this.work.onCrash(server);
    }
  }

  private thaw(server: ClusterServer): void {
    server.thaw();
    this.connections.touch();
  }
}
