import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';
import { RedisSignals } from '../../../platform/redis/redis-signals.js';

/** Notifies those that follow an execution that it has printed something, or has ended. */
@Injectable()
export class OutputSignals extends RedisSignals {
  constructor(redis: RedisConnections) {
    super(redis, 'sandbox-output-signals');
  }

  notifyEnd(executionId: string): Promise<void> {
    return this.notify(endOf(executionId));
  }

  nextEnd(executionId: string, withinMs: number, signal: AbortSignal): Promise<void> {
    return this.next(endOf(executionId), withinMs, signal);
  }
}

const endOf = (executionId: string): string => `${executionId}:end`;
