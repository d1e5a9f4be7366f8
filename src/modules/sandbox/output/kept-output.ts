import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';
import type { OutputPiece } from '../domain/sandbox-runtime.js';

/** The first character of a stored piece names its stream. */
const MARKS = { stdout: '1', stderr: '2' } as const;

/** Keeps the output of running executions in Redis, where processes of the API read it. */
@Injectable()
export class KeptOutput {
  constructor(private readonly redis: RedisConnections) {}

  /** Adds pieces, and keeps the output of the execution for so long from now on. */
  async append(executionId: string, pieces: readonly OutputPiece[], keepMs: number): Promise<void> {
    const key = keyOf(executionId);
    const texts = pieces.map(({ stream, text }) => MARKS[stream] + text);
    await this.redis
      .producer()
      .multi()
      .rpush(key, ...texts)
      .pexpire(key, keepMs)
      .exec();
  }

  /** Returns up to `limit` pieces after the first `count`. */
  async after(executionId: string, count: number, limit: number): Promise<OutputPiece[]> {
    const texts = await this.redis.producer().lrange(keyOf(executionId), count, count + limit - 1);
    return texts.map((text) => ({ stream: text.startsWith(MARKS.stdout) ? 'stdout' : 'stderr', text: text.slice(1) }));
  }

  async remove(executionIds: readonly string[]): Promise<void> {
    await this.redis.producer().unlink(...executionIds.map(keyOf));
  }
}

const keyOf = (executionId: string): string => `sandbox:output:${executionId}`;
