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

/** The order of members is forgotten when no job of their subject was added for this long. */
const MEMBERS_KEPT_MS = 600_000;

/**
 * Who takes turns in a queue. A subject with members has one turn among all subjects, in which its members take turns.
 */
export type Subject = string | { readonly name: string; readonly member: string };

interface ScriptedRedis extends Redis {
  jobTurn(keyCount: number, ...keysAndValues: (string | number)[]): Promise<[number, number, number, number, number]>;
  jobTurnWithin(keyCount: number, ...keysAndValues: (string | number)[]): Promise<[number, number]>;
  jobTurnBegan(keyCount: number, key: string, round: number, furthest: number): Promise<number>;
}

/** The position that a subject's next job would have in its queue. */
export interface Turn {
  /** The job's priority in BullMQ: lower ones are taken first, and of equal ones the earlier. */
  readonly round: number;
  /** The number of waiting jobs before it, unless jobs with earlier turns are added. */
  readonly ahead: number;
  /** The number of waiting jobs of the same subject, of all its members together. */
  readonly own: number;
  /** The number of all waiting jobs; `active` is that of all running jobs. */
  readonly waiting: number;
  readonly active: number;
}

/**
 * Fair turns between subjects, such as organizations, that share a queue: start-time fair queueing with jobs of equal
 * cost. While two subjects have jobs waiting, neither starts more than one job more than the other, however many it has
 * added. The same holds between the members of one subject. The state is a few small keys in Redis, so it applies
 * across all processes.
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
    this.redis.defineCommand('jobTurnWithin', { lua: read('job-turns-within.lua') });
    this.redis.defineCommand('jobTurnBegan', { lua: read('job-turns-began.lua') });
  }

  /** Returns the turn that a job of the subject would get now, without taking it. */
  async look(queue: QueueName, subject: Subject): Promise<Turn> {
    const [turn, [round, ahead]] = await Promise.all([
      this.ask(queue, subject, 0),
      this.askWithin(queue, subject, 'look'),
    ]);
    return round === 0 ? turn : { ...turn, round, ahead };
  }

  /** Takes the subject's next turn, for a job that is about to be added. {@link placed} must follow. */
  take(queue: QueueName, subject: Subject): Promise<Turn> {
    return this.ask(queue, subject, 1);
  }

  /** Gives a job that was added in the subject's turn the place that its member has among the others. */
  async placed(queue: QueueName, subject: Subject, jobId: string): Promise<void> {
    await this.askWithin(queue, subject, 'add', jobId);
  }

  /** Returns the turn of a job that was removed before it began, so that cancelling does not set a subject back. */
  async giveBack(queue: QueueName, subject: Subject, jobId: string): Promise<void> {
    await Promise.all([this.ask(queue, subject, -1), this.askWithin(queue, subject, 'drop', jobId)]);
  }

  /** Records that a worker took a job. Never throws: the first waiting job gives nearly the same information. */
  async began(queue: QueueName, round: number): Promise<void> {
    await this.redis.jobTurnBegan(1, clockKeyOf(queue), round, HIGHEST_ROUND / 2).catch(() => undefined);
  }

  private async ask(queue: QueueName, subject: Subject, mode: -1 | 0 | 1): Promise<Turn> {
    const bull = this.queues.named(queue.name);
    const keys = [
      ...['prioritized', 'wait', 'active'].map((type) => bull.toKey(type)),
      clockKeyOf(queue),
      `job-turns:${queue.name}`,
    ];
    const [round, ahead, own, waiting, active] = await this.redis.jobTurn(
      keys.length,
      ...keys,
      nameOf(subject),
      mode,
      HIGHEST_ROUND,
    );
    return { round, ahead, own, waiting, active };
  }

  private async askWithin(
    queue: QueueName,
    subject: Subject,
    mode: 'add' | 'drop' | 'look',
    jobId = '',
  ): Promise<[number, number]> {
    if (typeof subject === 'string') return [0, 0];
    const bull = this.queues.named(queue.name);
    const own = `job-turns:${queue.name}:${subject.name}`;
    const keys = [bull.toKey('prioritized'), bull.toKey('wait'), `${own}:jobs`, `${own}:members`];
    const job = [jobId, bull.toKey(''), MEMBERS_KEPT_MS];
    return this.redis.jobTurnWithin(keys.length, ...keys, subject.member, mode, ...job);
  }
}

const clockKeyOf = ({ name }: QueueName): string => `job-turns:${name}:clock`;

const nameOf = (subject: Subject): string => (typeof subject === 'string' ? subject : subject.name);

const read = (name: string): string => readFileSync(join(__dirname, name), 'utf8');
