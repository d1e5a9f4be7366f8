import { RetryPause } from './retry-pause.js';

/** A member is started, used once and destroyed. */
export interface PoolMember {
  readonly isAlive: boolean;
  /** Settles when nothing of the member is left. */
  readonly gone: Promise<void>;
  destroy(): Promise<void>;
}

export interface WarmPoolOptions<M extends PoolMember> {
  /** The number of idle members to keep. */
  readonly size: number;
  /** The number of concurrent starts that fill the pool. It does not limit starts for waiting callers. */
  readonly startsAtOnce: number;
  /** An idle member older than this is replaced. */
  readonly maxAgeMs: number;
  readonly start: () => Promise<M>;
  readonly onStarted?: (seconds: number) => void;
  readonly onStartFailed?: (error: unknown) => void;
  /** A member that must not be kept, even though it is alive. The default is that there are none. */
  readonly isSpent?: (member: M) => boolean;
  /** A member died while it was idle. */
  readonly onLost?: () => void;
}

/**
 * A run takes about 6 ms, and a start occupies a processor for 25 ms and the event loop for 2 ms. A member is therefore
 * replaced after its run, or when the run turns out to be a long one.
 */
const REFILL_WHILE_RUNNING_MS = 25;
/** The delay lets the outcome of the run go out first. */
const REFILL_AFTER_RUN_MS = 4;
/**
 * While others are warm, nobody waits for the next one, and the way of the outcome to its caller takes longer than
 * that.
 */
const PATIENCE_WITH_OTHERS = 4;

interface Idle<M> {
  readonly member: M;
  readonly sinceMs: number;
}

interface Waiter<M> {
  readonly resolve: (member: M) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Keeps members that were started in advance. Each is used once and replaced without delaying a waiting run. When
 * starts fail or members die, the next start follows after ever longer pauses.
 */
export class WarmPool<M extends PoolMember> {
  private readonly idle: Idle<M>[] = [];
  private readonly waiters: Waiter<M>[] = [];
  private readonly pause = new RetryPause();
  private starts = 0;
  private refillTimer: NodeJS.Timeout | null = null;
  private refillAtMs = Infinity;
  private ageTimer: NodeJS.Timeout | null = null;
  private isOpen = false;
  private isClosed = false;

  constructor(private readonly options: WarmPoolOptions<M>) {}

  get ready(): number {
    return this.idle.length;
  }

  get starting(): number {
    return this.starts;
  }

  /** Starts to fill the pool. Before this, and with a size of 0, every use starts its own member. */
  open(): void {
    if (this.isOpen || this.isClosed) return;
    this.isOpen = true;
    this.ageTimer = setInterval(
      () => {
        this.replaceOldest();
      },
      this.options.maxAgeMs / Math.max(1, this.options.size),
    ).unref();
    this.refillIn(0);
  }

  /**
   * Passes a member to `work`, which uses it up, and replaces it afterwards.
   *
   * @throws the error of the start when no member was warm; the signal's reason when it was aborted while waiting.
   */
  async use<T>(work: (member: M, warm: boolean) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.isClosed) throw new Error('The pool is closed.');
    const warm = this.takeIdle();
    const member = warm ?? (await this.startFor(signal));
    this.refillIn(REFILL_WHILE_RUNNING_MS * this.patience());
    try {
      return await work(member, warm !== null);
    } finally {
      this.refillIn(REFILL_AFTER_RUN_MS * this.patience());
    }
  }

  /** Ends the idle members that are spent, and starts others. */
  replaceSpent(): void {
    for (const spent of this.idle.filter(({ member }) => this.isSpent(member))) {
      this.idle.splice(this.idle.indexOf(spent), 1);
      void spent.member.destroy();
    }
    this.refillIn(0);
  }

  /** Ends the idle members and those that are still starting. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.refillTimer !== null) clearTimeout(this.refillTimer);
    if (this.ageTimer !== null) clearInterval(this.ageTimer);
    for (const { reject } of this.waiters.splice(0)) reject(new Error('The pool is closed.'));
    await Promise.all(this.idle.splice(0).map(({ member }) => member.destroy()));
  }

  private patience(): number {
    return this.idle.length > 0 ? PATIENCE_WITH_OTHERS : 1;
  }

  private takeIdle(): M | null {
    // The oldest member is used first, so that none grows old under load.
    for (let next = this.idle.shift(); next !== undefined; next = this.idle.shift()) {
      if (next.member.isAlive) {
        this.pause.reset();
        return next.member;
      }
      this.countLoss();
    }
    return null;
  }

  /** The next member that is ready goes to the caller that has waited longest, whatever it was started for. */
  private startFor(signal: AbortSignal | undefined): Promise<M> {
    return new Promise<M>((resolve, reject) => {
      signal?.throwIfAborted();
      const leave = (): void => {
        this.waiters.splice(this.waiters.indexOf(waiter), 1);
        reject(signal?.reason as Error);
      };
      const waiter: Waiter<M> = {
        resolve: (member) => {
          signal?.removeEventListener('abort', leave);
          resolve(member);
        },
        reject: (error) => {
          signal?.removeEventListener('abort', leave);
          reject(error);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.waiters.push(waiter);
      if (this.starts < this.waiters.length) this.startOne();
    });
  }

  private startOne(): void {
    const startedAtMs = performance.now();
    this.starts += 1;
    void this.options.start().then(
      (member) => {
        this.starts -= 1;
        const seconds = (performance.now() - startedAtMs) / 1000;
        this.arrive(member);
        this.options.onStarted?.(seconds);
      },
      (error: unknown) => {
        this.starts -= 1;
        this.failStart(error);
      },
    );
  }

  private arrive(member: M): void {
    const waiter = this.waiters.shift();
    if (waiter !== undefined) {
      this.pause.reset();
      waiter.resolve(member);
    } else if (this.isClosed || this.isSpent(member) || this.idle.length >= this.options.size) {
      void member.destroy();
    } else {
      this.keep(member);
    }
    this.refillIn(0);
  }

  private isSpent(member: M): boolean {
    return this.options.isSpent?.(member) ?? false;
  }

  private keep(member: M): void {
    const kept = { member, sinceMs: performance.now() };
    this.idle.push(kept);
    void member.gone.then(() => {
      const place = this.idle.indexOf(kept);
      // A member that is not in the list was used, or was destroyed on purpose.
      if (place < 0) return;
      this.idle.splice(place, 1);
      this.countLoss();
    });
  }

  private countLoss(): void {
    this.pause.lengthen();
    this.options.onLost?.();
    this.refillIn(0);
  }

  private failStart(error: unknown): void {
    this.pause.lengthen();
    if (!this.isClosed) this.options.onStartFailed?.(error);
    // A waiter is rejected only if no other start is active for it.
    if (this.waiters.length > this.starts)
      this.waiters.shift()?.reject(error instanceof Error ? error : new Error(String(error)));
    this.refillIn(0);
  }

  private refillIn(delayMs: number): void {
    if (!this.isOpen || this.isClosed || !this.isShort()) return;
    const waitMs = Math.max(delayMs, this.pause.leftMs());
    const atMs = performance.now() + waitMs;
    if (this.refillTimer !== null) {
      if (this.refillAtMs <= atMs) return;
      clearTimeout(this.refillTimer);
    }
    this.refillAtMs = atMs;
    this.refillTimer = setTimeout(() => {
      this.refill();
    }, waitMs).unref();
  }

  private refill(): void {
    this.refillTimer = null;
    // A start may have failed since the timer was set.
    if (this.pause.leftMs() === 0 && this.isShort()) this.startOne();
    // Members are started one at a time, because each start blocks the event loop that answers runs.
    this.refillIn(1);
  }

  private isShort(): boolean {
    const forPool = this.starts - this.waiters.length;
    return this.idle.length + forPool < this.options.size && forPool < this.options.startsAtOnce;
  }

  private replaceOldest(): void {
    const oldest = this.idle[0];
    if (oldest === undefined || performance.now() - oldest.sinceMs < this.options.maxAgeMs) return;
    this.idle.shift();
    // Members only grow old on a healthy machine.
    this.pause.reset();
    void oldest.member.destroy().then(() => {
      this.refillIn(0);
    });
  }
}
