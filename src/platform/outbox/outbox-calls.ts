import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../redis/redis-connections.js';
import { OutboxBell } from './outbox-bell.js';

const CHANNEL = 'outbox';

/**
 * Rings the bell of the relays, also of those in other processes: most messages are committed in processes that do not
 * relay. A lost call only delays a message, because relays also poll.
 */
@Injectable()
export class OutboxCalls {
  private isListening = false;

  constructor(
    private readonly redis: RedisConnections,
    private readonly bell: OutboxBell,
  ) {}

  /** Never throws, and does not wait for other processes. */
  ring(): void {
    this.bell.ring();
    if (this.isListening) return;
    this.redis
      .producer()
      .publish(CHANNEL, '')
      .catch(() => undefined);
  }

  /** Lets other processes ring the bell of this one, which has a relay. */
  listen(): void {
    if (this.isListening) return;
    this.isListening = true;
    const subscriber = this.redis.blocking();
    subscriber.on('message', () => {
      this.bell.ring();
    });
    // ioredis subscribes as soon as it is connected, and again after each lost connection.
    subscriber.subscribe(CHANNEL).catch(() => undefined);
  }
}
