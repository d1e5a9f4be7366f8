const WINDOW_MS = 30_000;
const BUCKET_MS = 1_000;
/** Fewer attempts say little about a model. */
const MIN_ATTEMPTS = 10;
const OPEN_MS = 15_000;

interface Bucket {
  readonly second: number;
  attempts: number;
  failures: number;
}

/** What an attempt was worth for the model that was tried. */
export type AttemptOutcome =
  | 'succeeded'
  | 'failed'
  /** The caller left, or the attempt says nothing about the model. */
  | 'unknown';

/**
 * Stops calls to a model that fails: it opens for 15 s when at least 10 attempts ended within 30 s and half of them
 * failed. Then one attempt is let through, which closes it or opens it again.
 */
export class CircuitBreaker {
  private buckets: Bucket[] = [];
  private openUntilMs = Number.NEGATIVE_INFINITY;
  private state: 'closed' | 'open' | 'trying' = 'closed';

  get isOpen(): boolean {
    return this.state !== 'closed';
  }

  /** Milliseconds until a call may be let through again; 0 when it may be now. */
  waitMs(nowMs: number): number {
    return this.state === 'closed' ? 0 : Math.max(0, this.openUntilMs - nowMs);
  }

  /** True when an attempt may begin. Its end must be passed to {@link end}. */
  begin(nowMs: number): boolean {
    if (this.state === 'closed') return true;
    if (nowMs < this.openUntilMs) return false;
    // An attempt that never ends does not keep the model closed for ever: the next one is let through after a while.
    this.state = 'trying';
    this.openUntilMs = nowMs + OPEN_MS;
    return true;
  }

  end(outcome: AttemptOutcome, nowMs: number): void {
    if (this.state === 'closed') this.count(outcome, nowMs);
    else if (outcome === 'succeeded') this.close();
    else if (this.state === 'trying') {
      this.state = 'open';
      this.openUntilMs = outcome === 'failed' ? nowMs + OPEN_MS : nowMs;
    }
  }

  private count(outcome: AttemptOutcome, nowMs: number): void {
    if (outcome === 'unknown') return;
    const second = Math.floor(nowMs / BUCKET_MS);
    this.buckets = this.buckets.filter((bucket) => bucket.second * BUCKET_MS > nowMs - WINDOW_MS);
    let bucket = this.buckets.find((each) => each.second === second);
    if (bucket === undefined) this.buckets.push((bucket = { second, attempts: 0, failures: 0 }));
    bucket.attempts++;
    if (outcome === 'failed') bucket.failures++;
    const attempts = this.buckets.reduce((sum, each) => sum + each.attempts, 0);
    const failures = this.buckets.reduce((sum, each) => sum + each.failures, 0);
    if (attempts < MIN_ATTEMPTS || failures * 2 < attempts) return;
    this.state = 'open';
    this.openUntilMs = nowMs + OPEN_MS;
  }

  private close(): void {
    this.state = 'closed';
    this.buckets = [];
  }
}

/** The breakers of this process, one for each model of each router. */
export class CircuitBreakers {
  private readonly breakers = new Map<string, CircuitBreaker>();

  for(router: string, upstreamId: string): CircuitBreaker {
    const key = `${router} ${upstreamId}`;
    let breaker = this.breakers.get(key);
    if (breaker === undefined) this.breakers.set(key, (breaker = new CircuitBreaker()));
    return breaker;
  }

  get open(): number {
    let open = 0;
    for (const breaker of this.breakers.values()) if (breaker.isOpen) open++;
    return open;
  }
}
