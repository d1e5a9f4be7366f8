import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';
import { RedisSignals } from '../../../platform/redis/redis-signals.js';

/** Notifies the followers of an organization that something happened in it. */
@Injectable()
export class EventSignals extends RedisSignals {
  constructor(redis: RedisConnections) {
    super(redis, 'org-event-signals');
  }
}
