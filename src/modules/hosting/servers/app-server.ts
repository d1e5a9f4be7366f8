import { setTimeout as sleep } from 'node:timers/promises';
import type { IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import { AppAgent } from './app-agent.js';
import type { LaunchedApp } from './app-launcher.js';

/** An archive takes longer only if the program does not answer. */
const LONGEST_KEEP_MS = 10_000;

/** A running or frozen server, with a count of the requests that use it. */
export class AppServer {
  readonly agent = new AppAgent();
  private hasListened = false;
  private isTooSlow = false;
  private users = 0;
  private frozen = false;
  private freezing: Promise<void> | undefined;
  private keeping: Promise<void> | undefined;
  /** True when the server has answered requests since its files were kept. */
  private hasNews = false;
  private usedAtMs = performance.now();
  readonly startedAtMs = performance.now();

  readonly socketPath: string;
  /** Resolves when the server listens, and rejects when it ends before. */
  readonly listening: Promise<void>;
  private readonly program: IsolatedProgram;

  constructor(
    readonly deployId: string,
    private readonly app: LaunchedApp,
  ) {
    ({ socketPath: this.socketPath, listening: this.listening, program: this.program } = app);
    this.listening.then(
      () => {
        this.hasListened = true;
      },
      () => undefined,
    );
  }

  get isAlive(): boolean {
    return this.program.isAlive;
  }

  /** Resolves when the server has ended and all of its output has been delivered. */
  get exited(): IsolatedProgram['exited'] {
    return this.program.exited;
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
    this.hasNews = true;
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
    if (!this.mayFreeze() || this.keeping !== undefined) return;
    await this.keep();
    // A request may have come meanwhile.
    if (!this.mayFreeze()) return;
    // After thawing, the server would close its kept connections as idle for too long.
    this.agent.destroy();
    this.frozen = true;
    this.freezing = this.program.freeze().finally(() => {
      this.freezing = undefined;
    });
    await this.freezing;
  }

  private mayFreeze(): boolean {
    return this.isIdle && !this.frozen && this.freezing === undefined;
  }

  /**
   * Keeps what the server has written for its next start, unless that was done since its last request. Waits at most
   * `withinMs` for it, because the program answers as slowly as it likes. A failure is not reported.
   */
  async keep(withinMs = LONGEST_KEEP_MS): Promise<void> {
    if (this.hasNews && this.hasListened && !this.frozen && this.isAlive) {
      this.hasNews = false;
      this.keeping ??= this.app
        .keepFiles()
        .catch(() => undefined)
        .finally(() => {
          this.keeping = undefined;
        });
    }
    if (this.keeping !== undefined) await Promise.race([this.keeping, sleep(withinMs, undefined, { ref: false })]);
  }

  /** Ends a server that nobody uses, after {@link keep}. */
  async retire(): Promise<void> {
    await this.keep();
    if (this.isIdle) await this.end();
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
