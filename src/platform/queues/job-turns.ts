import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { RedisConnections } from '../redis/redis-connections.js';
import type { JobDefinition } from '../background/define-job.js';
import { Queues } from './queues.js';

type QueueName = Pick<JobDefinition<object>, 'name'>;

/** BullMQ takes priorities up to 2^21. */
const HIGHEST_ROUND = 2_000_000;

interface ScriptedRedis extends Redis {
  jobTurn(keyCount: number, ...keysAndValues: (string | number)[]): Promise<[number, number, number, number, number]>;
  jobTurnBegan(keyCount: number, key: string, round: number, furthest: number): Promise<number>;
}

/** Where a subject's next job would stand in its queue. */
export interface Turn {
  /** The job's priority in BullMQ: the lower one is taken first, and of equal ones the earlier. */
  readonly round: number;
  /** Waiting jobs that go before it, unless others come whose turn is earlier. */
  readonly ahead: number;
  /** Jobs of the same subject that wait. */
  readonly own: number;
  /** All jobs that wait, and all that run. */
  readonly waiting: number;
  readonly active: number;
}

/**
 * Fair turns between subjects, organizations for one, in a queue that all of them share: start-time fair queueing with
 * jobs of equal cost. While two subjects have jobs waiting, neither begins more than one job more than the other,
 * however many it has added. The state is two small keys in Redis, so that it holds across all processes.
 */
@Injectable()
export class JobTurns {
  private readonly redis: ScriptedRedis;

  constructor(
    private readonly queues: Queues,
    redis: RedisConnections,
  ) {
    this.redis = redis.producer() as ScriptedRedis;
    this.redis.defineCommand('jobTurn', { lua: read('job-turns.lua') });
    this.redis.defineCommand('jobTurnBegan', { lua: read('job-turns-began.lua') });
  }

  /** Where a job of the subject would stand if it were added now; changes nothing. */
  look(queue: QueueName, subject: string): Promise<Turn> {
    return this.ask(queue, subject, 0);
  }

  /** Takes the subject's next turn, for a job that is about to be added. */
  take(queue: QueueName, subject: string): Promise<Turn> {
    return this.ask(queue, subject, 1);
  }

  /** For a job that was taken out of the queue before its turn came, so that cancelling does not set a subject back. */
  async giveBack(queue: QueueName, subject: string): Promise<void> {
    await this.ask(queue, subject, -1);
  }

  /** Told by the worker as it takes a job. Never throws: the first job that waits tells nearly the same. */
  async began(queue: QueueName, round: number): Promise<void> {
    await this.redis.jobTurnBegan(1, clockKeyOf(queue), round, HIGHEST_ROUND / 2).catch(() => undefined);
  }

  private async ask(queue: QueueName, subject: string, mode: -1 | 0 | 1): Promise<Turn> {
    const bull = this.queues.named(queue.name);
    const keys = [
      ...['prioritized', 'wait', 'active'].map((type) => bull.toKey(type)),
      clockKeyOf(queue),
      `job-turns:${queue.name}`,
    ];
    const [round, ahead, own, waiting, active] = await this.redis.jobTurn(
      keys.length,
      ...keys,
      subject,
      mode,
      HIGHEST_ROUND,
    );
    return { round, ahead, own, waiting, active };
  }
}

const clockKeyOf = ({ name }: QueueName): string => `job-turns:${name}:clock`;

const read = (name: string): string => readFileSync(join(__dirname, name), 'utf8');
