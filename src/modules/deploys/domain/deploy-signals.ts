import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';

const CHANNEL = 'deploy-signals';

/**
 * Tells those who follow a deploy, in whatever process, that there is something new of it. A signal that is lost costs
 * a follower some time, because it also looks by itself.
 */
@Injectable()
export class DeploySignals {
  private readonly waiting = new Map<string, Set<() => void>>();
  private listening = false;

  constructor(private readonly redis: RedisConnections) {}

  /** Never throws. */
  async tell(deployId: string): Promise<void> {
    await this.redis
      .producer()
      .publish(CHANNEL, deployId)
      .catch(() => undefined);
  }

  /**
   * From now on; what is told before the returned promise is asked for is not missed. Resolves after `withinMs` in any
   * case, and when `signal` is aborted.
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
    // ioredis subscribes again by itself after a lost connection.
    subscriber.subscribe(CHANNEL).catch(() => {
      this.listening = false;
    });
  }
}
