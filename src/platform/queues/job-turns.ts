import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { RedisConnections } from '../redis/redis-connections.js';
import type { JobDefinition } from '../background/define-job.js';
import { Queues } from './queues.js';

type QueueName = Pick<JobDefinition<object>, 'name'>;

/** BullMQ accepts priorities up to 2^21. */
const HIGHEST_ROUND = 2_000_000;

interface ScriptedRedis extends Redis {
  jobTurn(keyCount: number, ...keysAndValues: (string | number)[]): Promise<[number, number, number, number, number]>;
  jobTurnBegan(keyCount: number, key: string, round: number, furthest: number): Promise<number>;
}

/** The position that a subject's next job would have in its queue. */
export interface Turn {
  /** The job's priority in BullMQ: lower ones are taken first, and of equal ones the earlier. */
  readonly round: number;
  /** The number of waiting jobs before it, unless jobs with earlier turns are added. */
  readonly ahead: number;
  /** The number of waiting jobs of the same subject. */
  readonly own: number;
  /** The number of all waiting jobs; `active` is that of all running jobs. */
  readonly waiting: number;
  readonly active: number;
}

/**
 * Fair turns between subjects, such as organizations, that share a queue: start-time fair queueing with jobs of equal
 * cost. While two subjects have jobs waiting, neither starts more than one job more than the other, however many it has
 * added. The state is two small keys in Redis, so it applies across all processes.
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

  /** Returns the turn that a job of the subject would get now, without taking it. */
  look(queue: QueueName, subject: string): Promise<Turn> {
    return this.ask(queue, subject, 0);
  }

  /** Takes the subject's next turn, for a job that is about to be added. */
  take(queue: QueueName, subject: string): Promise<Turn> {
    return this.ask(queue, subject, 1);
  }

  /** Returns the turn of a job that was removed before it began, so that cancelling does not set a subject back. */
  async giveBack(queue: QueueName, subject: string): Promise<void> {
    await this.ask(queue, subject, -1);
  }

  /** Records that a worker took a job. Never throws: the first waiting job gives nearly the same information. */
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
