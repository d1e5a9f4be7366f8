import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';
import { RedisSignals } from '../../../platform/redis/redis-signals.js';

/** Notifies the followers of a deploy that it has news, and those of an organization that it has a new deploy. */
@Injectable()
export class DeploySignals extends RedisSignals {
  constructor(redis: RedisConnections) {
    super(redis, 'deploy-signals');
  }
}
