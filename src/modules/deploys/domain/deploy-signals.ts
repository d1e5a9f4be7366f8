import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';

const CHANNEL = 'deploy-signals';

/**
 * Notifies the followers of a deploy in all processes that it has news, and those of an organization that it has a new
 * deploy. A lost signal only delays a follower, because followers also poll.
 */
@Injectable()
export class DeploySignals {
  private readonly waiting = new Map<string, Set<() => void>>();
  private listening = false;

  constructor(private readonly redis: RedisConnections) {}

  /** Never throws. */
  async notify(id: string): Promise<void> {
    await this.redis
      .producer()
      .publish(CHANNEL, id)
      .catch(() => undefined);
  }

  /**
   * Resolves with the next signal after this call, after `withinMs` at the latest, and when `signal` is aborted.
   * Signals between the call and the await are not missed.
   */
  next(id: string, withinMs: number, signal: AbortSignal): Promise<void> {
    this.listen();
    return new Promise((resolve) => {
      const wakers = this.waiting.get(id) ?? new Set();
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        wakers.delete(wake);
        if (wakers.size === 0) this.waiting.delete(id);
        resolve();
      };
      const timer = setTimeout(wake, withinMs);
      signal.addEventListener('abort', wake, { once: true });
      if (signal.aborted) wake();
      else this.waiting.set(id, wakers.add(wake));
    });
  }

  private listen(): void {
    if (this.listening) return;
    this.listening = true;
    const subscriber = this.redis.blocking();
    subscriber.on('message', (_channel, id) => {
      for (const wake of [...(this.waiting.get(id) ?? [])]) wake();
    });
    // ioredis restores subscriptions after a lost connection.
    subscriber.subscribe(CHANNEL).catch(() => {
      this.listening = false;
    });
  }
}
