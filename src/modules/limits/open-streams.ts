import { DomainError } from '../../platform/errors/domain-error.js';
import { LIMIT_ERRORS } from './limits.errors.js';

interface StreamBounds {
  /** The name of the limit in errors. */
  readonly policy: string;
  /** The most streams of all subjects in one process. */
  readonly inAll: number;
  /** What a refused caller can do. */
  readonly hint: string;
}

/**
 * Counts the streams of one kind that this process has open, so that no subject, an organization or an address, takes
 * the places of all others. Each costs memory and queries.
 */
export abstract class OpenStreams {
  private readonly bySubject = new Map<string, number>();
  private count = 0;

  constructor(private readonly bounds: StreamBounds) {}

  /**
   * Takes one of the places of the subject. The returned function frees it.
   *
   * @throws {TooManyStreams} `concurrency_limit_exceeded`
   */
  take(subject: string, places: number): () => void {
    const own = this.bySubject.get(subject) ?? 0;
    if (own >= places) throw new TooManyStreams(places, this.bounds);
    if (this.count >= this.bounds.inAll) throw new TooManyStreams(this.bounds.inAll, this.bounds);
    this.bySubject.set(subject, own + 1);
    this.count++;
    return () => {
      this.count--;
      const left = this.bySubject.get(subject)! - 1;
      if (left === 0) this.bySubject.delete(subject);
      else this.bySubject.set(subject, left);
    };
  }
}

class TooManyStreams extends DomainError {
  constructor(limit: number, { policy, hint }: StreamBounds) {
    super(LIMIT_ERRORS.concurrency_limit_exceeded, `Open event stream limit reached: ${limit}.`, {
      retryAfterSeconds: 30,
      hint,
      details: { policy, limit, remaining: 0 },
    });
  }
}
