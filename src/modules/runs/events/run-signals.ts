import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';
import { RedisSignals } from '../../../platform/redis/redis-signals.js';

/** Notifies the followers of a run that it has new events. */
@Injectable()
export class RunSignals extends RedisSignals {
  constructor(redis: RedisConnections) {
    super(redis, 'run-signals');
  }
}
