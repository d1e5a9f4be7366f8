import { type IsolatedProcess } from '../../../platform/isolation/isolated-process.js';
import { IsolationDidNotStart } from '../../../platform/isolation/isolation-spec.js';
import { type IsolatedTemplate } from '../../../platform/isolation/isolated-template.js';
import { RetryPause } from './retry-pause.js';

export interface ForkServerOptions {
  /** Starts a template and checks that its forks are isolated. */
  readonly start: () => Promise<IsolatedTemplate>;
  /** A template is replaced after this many forks, or after this time, so that its secrets do not live long. */
  readonly maxForks: number;
  readonly maxAgeMs: number;
  readonly onStarted?: () => void;
  /** A template forks no more. Forks of it that wait for work are spent: they would make its secrets live longer. */
  readonly onRetired?: () => void;
  /** A template did not start, was not safe, or did not fork. */
  readonly onFailed?: (error: unknown) => void;
}

/** The next template starts when this share of the forks or of the time is used, and is then ready in time. */
const RENEW_AT = 0.9;

/**
 * A fork that failed says little about its template. One that has ended or hangs is gone by then: what hangs is killed.
 * One that lives has reported the failure itself, and the usual reason is the machine, which has no memory, process or
 * namespace left for a moment. Its other forks are not concerned. Only what fails again after pauses, with no fork in
 * between, may be its own fault, such as descriptors that it has lost.
 */
const FAILURES_UNTIL_REPLACED = 3;

interface Current {
  readonly template: IsolatedTemplate;
  readonly sinceMs: number;
  forks: number;
  /** In a row. Those within a pause count as one. */
  failures: number;
}

/**
 * Keeps one template of an interpreter that is ready to fork. While there is none, `fork` returns null, and the caller
 * starts a sandbox by itself.
 */
export class ForkServer {
  private readonly pause = new RetryPause();
  /** A template that was replaced lives until its forks have ended, with the time when it was replaced. */
  private readonly retired = new Map<IsolatedTemplate, number>();
  private readonly origins = new WeakMap<IsolatedProcess, IsolatedTemplate>();
  private current: Current | null = null;
  private starting: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private retryTimer: NodeJS.Timeout | null = null;
  private isClosed = false;

  constructor(private readonly options: ForkServerOptions) {}

  get isReady(): boolean {
    return this.usable() !== null;
  }

  /** Starts the first template. Resolves when it can fork, or when it has failed and forks begin later. */
  async open(): Promise<void> {
    if (this.timer !== null || this.isClosed) return;
    this.timer = setInterval(() => {
      this.renewIfOld();
    }, this.options.maxAgeMs / 100).unref();
    await this.renew();
  }

  /** Returns what `work` forks from the template; null when there is no template or the fork failed. */
  async fork(work: (template: IsolatedTemplate) => Promise<IsolatedProcess>): Promise<IsolatedProcess | null> {
    const current = this.usable();
    if (current === null) {
      void this.renew();
      return null;
    }
    if (current.failures > 0 && this.pause.leftMs() > 0) return null;
    current.forks += 1;
    if (current.forks >= this.options.maxForks * RENEW_AT) void this.renew();
    try {
      const forked = await work(current.template);
      this.origins.set(forked, current.template);
      if (current === this.current) this.trust(current);
      return forked;
    } catch (error) {
      // Another start would fail in the same way.
      if (!(error instanceof IsolationDidNotStart)) throw error;
      if (current === this.current) this.doubt(current, error);
      return null;
    }
  }

  /** True for a fork of a template that forks no more. */
  isSpentFork(forked: IsolatedProcess): boolean {
    const origin = this.origins.get(forked);
    return origin !== undefined && origin !== this.current?.template;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.timer !== null) clearInterval(this.timer);
    if (this.retryTimer !== null) clearTimeout(this.retryTimer);
    this.retire();
    await this.starting;
    await Promise.all([...this.retired.keys()].map((template) => template.destroy()));
  }

  private usable(): Current | null {
    const { current } = this;
    return current === null || !current.template.isAlive || this.isSpent(current) ? null : current;
  }

  private isSpent(current: Current): boolean {
    return current.forks >= this.options.maxForks || ageMsOf(current) >= this.options.maxAgeMs;
  }

  private trust(current: Current): void {
    if (current.failures === 0) return;
    current.failures = 0;
    this.pause.reset();
    if (this.retryTimer !== null) clearTimeout(this.retryTimer);
  }

  private doubt(current: Current, error: unknown): void {
    if (!current.template.isAlive) {
      this.fail(error);
      this.retire();
      return;
    }
    if (this.pause.leftMs() > 0) return;
    current.failures += 1;
    if (current.failures >= FAILURES_UNTIL_REPLACED) {
      // It stays until another one has started: where the machine is at fault, none does.
      this.fail(error);
      return;
    }
    this.pause.lengthen();
    this.options.onFailed?.(error);
  }

  private renewIfOld(): void {
    for (const template of this.retired.keys()) this.endIfUnused(template);
    // No other one has started in time.
    if (this.current !== null && this.isSpent(this.current)) this.retire();
    if (this.usable() === null || ageMsOf(this.current!) >= this.options.maxAgeMs * RENEW_AT) void this.renew();
  }

  private renew(): Promise<void> {
    return this.pause.leftMs() > 0 ? Promise.resolve() : this.start();
  }

  private start(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    this.starting ??= this.startNext().finally(() => {
      this.starting = null;
    });
    return this.starting;
  }

  private async startNext(): Promise<void> {
    try {
      const template = await this.options.start();
      this.retire();
      this.current = { template, sinceMs: performance.now(), forks: 0, failures: 0 };
      this.pause.reset();
      if (this.retryTimer !== null) clearTimeout(this.retryTimer);
      void template.gone.then(() => {
        if (this.current?.template !== template) return;
        this.fail(new Error('The template has ended.'));
        this.retire();
      });
      if (this.isClosed) this.retire();
      else this.options.onStarted?.();
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (this.isClosed) return;
    this.pause.lengthen();
    this.options.onFailed?.(error);
    if (this.retryTimer !== null) clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => {
      void this.start();
    }, this.pause.leftMs()).unref();
  }

  private retire(): void {
    if (this.current === null) return;
    const { template } = this.current;
    this.current = null;
    this.retired.set(template, performance.now());
    this.options.onRetired?.();
    this.endIfUnused(template);
  }

  private endIfUnused(template: IsolatedTemplate): void {
    const ageMs = performance.now() - (this.retired.get(template) ?? 0);
    // No run takes as long as a template lives. What is left then has lost its template.
    if (template.active > 0 && template.isAlive && ageMs < this.options.maxAgeMs) return;
    void template.destroy().then(() => this.retired.delete(template));
  }
}

function ageMsOf({ sinceMs }: Current): number {
  return performance.now() - sinceMs;
}
