import type { IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import { AppAgent } from './app-agent.js';

/** A running or frozen server, with a count of the requests that use it. */
export class AppServer {
  readonly agent = new AppAgent();
  private hasListened = false;
  private isTooSlow = false;
  private users = 0;
  private frozen = false;
  private freezing: Promise<void> | undefined;
  private usedAtMs = performance.now();
  readonly startedAtMs = performance.now();

  constructor(
    readonly deployId: string,
    readonly socketPath: string,
    private readonly program: IsolatedProgram,
    /** Resolves when the server listens, and rejects when it ends before. */
    readonly listening: Promise<void>,
  ) {
    listening.then(
      () => {
        this.hasListened = true;
      },
      () => undefined,
    );
  }

  get isAlive(): boolean {
    return this.program.isAlive;
  }

  /** True once the server has listened. */
  get isListening(): boolean {
    return this.hasListened;
  }

  /** True when the server was ended because it did not listen in time. */
  get wasTooSlow(): boolean {
    return this.isTooSlow;
  }

  get memoryPeakBytes(): number {
    return this.program.memoryPeakBytes;
  }

  get isFrozen(): boolean {
    return this.frozen;
  }

  get isIdle(): boolean {
    return this.users === 0;
  }

  get idleMs(): number {
    return this.isIdle ? performance.now() - this.usedAtMs : 0;
  }

  /** Keeps the server awake until the returned function is called. */
  async use(): Promise<() => void> {
    this.users++;
    await this.freezing;
    if (this.frozen) {
      this.frozen = false;
      this.program.thaw();
    }
    let used = true;
    return () => {
      if (!used) return;
      used = false;
      this.users--;
      this.usedAtMs = performance.now();
    };
  }

  async freeze(): Promise<void> {
    if (!this.isIdle || this.frozen || this.freezing !== undefined) return;
    // After thawing, the server would close its kept connections as idle for too long.
    this.agent.destroy();
    this.frozen = true;
    this.freezing = this.program.freeze().finally(() => {
      this.freezing = undefined;
    });
    await this.freezing;
  }

  async end(): Promise<void> {
    this.agent.destroy();
    await this.program.destroy();
  }

  endTooSlow(): void {
    this.isTooSlow = true;
    void this.end();
  }
}
