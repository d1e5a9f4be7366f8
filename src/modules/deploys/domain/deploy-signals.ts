import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';

const CHANNEL = 'deploy-signals';

/**
 * Notifies the followers of a deploy in all processes that it has news. A lost signal only delays a follower, because
 * followers also poll.
 */
@Injectable()
export class DeploySignals {
  private readonly waiting = new Map<string, Set<() => void>>();
  private listening = false;

  constructor(private readonly redis: RedisConnections) {}

  /** Never throws. */
  async notify(deployId: string): Promise<void> {
    await this.redis
      .producer()
      .publish(CHANNEL, deployId)
      .catch(() => undefined);
  }

  /**
   * Resolves with the next signal after this call, after `withinMs` at the latest, and when `signal` is aborted.
   * Signals between the call and the await are not missed.
   */
  next(deployId: string, withinMs: number, signal: AbortSignal): Promise<void> {
    this.listen();
    return new Promise((resolve) => {
      const wakers = this.waiting.get(deployId) ?? new Set();
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        wakers.delete(wake);
        if (wakers.size === 0) this.waiting.delete(deployId);
        resolve();
      };
      const timer = setTimeout(wake, withinMs);
      signal.addEventListener('abort', wake, { once: true });
      if (signal.aborted) wake();
      else this.waiting.set(deployId, wakers.add(wake));
    });
  }

  private listen(): void {
    if (this.listening) return;
    this.listening = true;
    const subscriber = this.redis.blocking();
    subscriber.on('message', (_channel, deployId) => {
      for (const wake of [...(this.waiting.get(deployId) ?? [])]) wake();
    });
    // ioredis restores subscriptions after a lost connection.
    subscriber.subscribe(CHANNEL).catch(() => {
      this.listening = false;
    });
  }
}
