import { JobAbandoned } from '../../../../platform/queues/job-cancellations.js';
import type { Language } from '../../domain/sandbox-runtime.js';
import type { SessionProcess } from '../host/session-process.js';
import { SessionTurns } from './session-turns.js';

/** Calls that follow each other closely find the session awake. */
const GRACE_MS = 250;
/**
 * How often it may fail to freeze before it ends. That takes half a minute at least: an honest session on a busy
 * machine stops within it, and one that does not compute for nothing.
 */
const MAX_FAILED_FREEZES = 80;

export interface HeldFacts {
  readonly id: string;
  readonly orgId: string;
  readonly language: Language;
  readonly memoryBytes: number;
  readonly idleTimeoutMs: number;
  readonly expiresAtMs: number;
}

type StateListener = (status: 'awake' | 'frozen') => void;

/** A session of this worker. It is awake while it is used, and frozen in between. */
export class HeldSession {
  readonly turns = new SessionTurns();
  private uses = 0;
  private lastUsedMs = performance.now();
  private grace: NodeJS.Timeout | undefined;
  /** A brief use does not put it off: what the session computes until then is not paid. */
  private freezesAtMs = performance.now() + GRACE_MS;
  private freezing: Promise<void> = Promise.resolve();
  private isOver = false;
  private failedFreezes = 0;
  private readonly abandoned = new AbortController();
  private status: 'awake' | 'frozen' = 'awake';

  constructor(
    readonly facts: HeldFacts,
    private readonly process: SessionProcess,
    private readonly changed: StateListener,
  ) {
    this.rest();
  }

  /** Aborted when what runs ends with the session: with {@link JobAbandoned} when it is paid as far as it came. */
  get ending(): AbortSignal {
    return this.abandoned.signal;
  }

  get isFrozen(): boolean {
    return this.status === 'frozen';
  }

  get isUsed(): boolean {
    return this.uses > 0;
  }

  /** True when nobody has used it for its time. */
  get isIdle(): boolean {
    return !this.isUsed && performance.now() - this.lastUsedMs >= this.facts.idleTimeoutMs;
  }

  /** Keeps the session awake for the work. The process thaws by itself. A brief use does not prolong its grace. */
  async use<T>(work: (process: SessionProcess) => Promise<T>, isBrief = false): Promise<T> {
    this.uses += 1;
    clearTimeout(this.grace);
    try {
      // Otherwise it would freeze in the middle of the work.
      await this.freezing;
      this.is('awake');
      return await work(this.process);
    } finally {
      this.uses -= 1;
      this.lastUsedMs = performance.now();
      if (!isBrief) this.freezesAtMs = this.lastUsedMs + GRACE_MS;
      this.rest();
    }
  }

  /** Freezes the session, unless it is used: then returns false. */
  async freeze(): Promise<boolean> {
    clearTimeout(this.grace);
    if (this.isUsed) return false;
    await this.freezeNow();
    return !this.isUsed;
  }

  /** Ends what runs: as if it had been cancelled, or as lost by the platform. */
  abandon(isByPlatform: boolean): void {
    this.abandoned.abort(isByPlatform ? new Error('The worker gives up the session.') : new JobAbandoned());
  }

  async end(): Promise<void> {
    this.isOver = true;
    clearTimeout(this.grace);
    await this.process.end();
  }

  private rest(): void {
    clearTimeout(this.grace);
    if (this.isUsed || this.isOver) return;
    const leftMs = this.freezesAtMs - performance.now();
    if (leftMs <= 0) void this.freezeNow();
    else
      this.grace = setTimeout(() => {
        void this.freezeNow();
      }, leftMs);
  }

  /** A session that cannot be frozen stays awake for a while: it costs its worker something, and its owner nothing. */
  private freezeNow(): Promise<void> {
    this.freezing = this.freezing.then(async () => {
      if (this.isUsed || this.isOver || this.isFrozen) return;
      try {
        await this.process.freeze();
        if (this.process.isFrozen) this.isNowFrozen();
        else this.staysAwake();
      } catch {
        this.restsAgain();
      }
    });
    return this.freezing;
  }

  private isNowFrozen(): void {
    this.failedFreezes = 0;
    this.is('frozen');
  }

  private staysAwake(): void {
    // What uses it has woken it.
    if (this.isUsed || this.isOver) return;
    this.failedFreezes += 1;
    // Who holds it hears of its end.
    if (this.failedFreezes >= MAX_FAILED_FREEZES) void this.process.end();
    else this.restsAgain();
  }

  private restsAgain(): void {
    this.freezesAtMs = performance.now() + GRACE_MS;
    this.rest();
  }

  private is(status: 'awake' | 'frozen'): void {
    if (this.status === status) return;
    this.status = status;
    this.changed(status);
  }
}
