import type { RedisConnections } from './redis-connections.js';

/**
 * Notifies followers in all processes that a subject has news. A lost signal only delays a follower, because followers
 * also poll.
 */
export class RedisSignals {
  private readonly waiting = new Map<string, Set<() => void>>();
  private listening = false;

  constructor(
    private readonly redis: RedisConnections,
    private readonly channel: string,
  ) {}

  /** Never throws. */
  async notify(subject: string): Promise<void> {
    await this.redis
      .producer()
      .publish(this.channel, subject)
      .catch(() => undefined);
  }

  /**
   * Resolves with the next signal after this call, after `withinMs` at the latest, and when `signal` is aborted.
   * Signals between the call and the await are not missed.
   */
  next(subject: string, withinMs: number, signal: AbortSignal): Promise<void> {
    this.listen();
    return new Promise((resolve) => {
      const wakers = this.waiting.get(subject) ?? new Set();
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        wakers.delete(wake);
        if (wakers.size === 0) this.waiting.delete(subject);
        resolve();
      };
      const timer = setTimeout(wake, withinMs);
      signal.addEventListener('abort', wake, { once: true });
      if (signal.aborted) wake();
      else this.waiting.set(subject, wakers.add(wake));
    });
  }

  private listen(): void {
    if (this.listening) return;
    this.listening = true;
    const subscriber = this.redis.blocking();
    subscriber.on('message', (_channel, subject) => {
      for (const wake of [...(this.waiting.get(subject) ?? [])]) wake();
    });
    // ioredis restores subscriptions after a lost connection.
    subscriber.subscribe(this.channel).catch(() => {
      this.listening = false;
    });
  }
}
