import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';
import { RedisSignals } from '../../../platform/redis/redis-signals.js';

/** Notifies those that wait for a session that it has started, or will not start. */
@Injectable()
export class SessionSignals extends RedisSignals {
  constructor(redis: RedisConnections) {
    super(redis, 'sandbox-session-signals');
  }
}
