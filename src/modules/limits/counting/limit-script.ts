import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { gatherer } from '../../../platform/redis/gather.js';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';

/** Bounds how long one script blocks Redis for other clients: about half a millisecond. */
const MAX_BATCH = 64;

interface ScriptedRedis extends Redis {
  takeFromLimits(keyCount: number, ...keysAndNumbers: string[]): Promise<number[][]>;
  takeLease(keyCount: number, key: string, name: string, places: number, lifetimeMs: number): Promise<number>;
  giveBackToLimits(keyCount: number, ...keys: string[]): Promise<number>;
  correctBurst(keyCount: number, key: string, addedUs: number): Promise<number>;
}

interface Counter {
  readonly key: string;
  /** -1 means unlimited. */
  readonly limit: number;
}

interface Burst {
  readonly key: string;
  readonly callsPerSecond: number;
  readonly size: number;
}

export interface LimitRequest {
  readonly burst: Burst | undefined;
  readonly counters: readonly Counter[];
  /** Keys of numbers that are read in the same round trip. */
  readonly stamps: readonly string[];
  readonly expiresAt: Date;
  /** A cost of 0 only reads. */
  readonly cost: number;
}

export interface LimitAnswer {
  /** `burst`, or the index of the counter that refused. Undefined when the request was granted. */
  readonly refusedBy: 'burst' | number | undefined;
  readonly burstWaitMs: number;
  readonly burstLeft: number;
  /** The count of each counter, in the order of the request. */
  readonly used: readonly number[];
  /** The value of each stamp; -1 when its key does not exist. */
  readonly stamps: readonly number[];
}

/** Runs the Lua scripts in this folder. They throw when Redis is unavailable. */
@Injectable()
export class LimitScript {
  private readonly redis: ScriptedRedis;

  /** Takes from the limits of one caller. Calls in the same turn of the event loop share a round trip. */
  readonly take: (request: LimitRequest) => Promise<LimitAnswer>;

  constructor(redis: RedisConnections) {
    this.redis = redis.fast() as ScriptedRedis;
    this.redis.defineCommand('takeFromLimits', { lua: read('limit.lua') });
    this.redis.defineCommand('takeLease', { lua: read('lease.lua') });
    this.redis.defineCommand('giveBackToLimits', { lua: read('give-back.lua') });
    this.redis.defineCommand('correctBurst', { lua: read('correct-burst.lua') });
    this.take = gatherer(MAX_BATCH, (requests) => this.takeAll(requests));
  }

  async takeLease(key: string, name: string, places: number, lifetimeMs: number): Promise<boolean> {
    return (await this.redis.takeLease(1, key, name, places, lifetimeMs)) === 1;
  }

  async endLease(key: string, name: string): Promise<void> {
    await this.redis.zrem(key, name);
  }

  async giveBack(keys: readonly string[]): Promise<void> {
    await this.redis.giveBackToLimits(keys.length, ...keys);
  }

  /** Adds to what was taken from a burst limit, or gives some of it back. */
  async correct({ key, callsPerSecond }: Omit<Burst, 'size'>, added: number): Promise<void> {
    await this.redis.correctBurst(1, key, Math.round((added * 1_000_000) / callsPerSecond));
  }

  private async takeAll(requests: readonly LimitRequest[]): Promise<LimitAnswer[]> {
    const parts: string[] = [];
    const numbers: number[] = [];
    for (const { burst, counters, stamps, expiresAt, cost } of requests) {
      const emissionUs = burst === undefined ? 0 : 1_000_000 / burst.callsPerSecond;
      parts.push(burst?.key ?? '-');
      numbers.push(
        counters.length,
        stamps.length,
        emissionUs,
        emissionUs * (burst?.size ?? 0),
        Math.floor(expiresAt.getTime() / 1000),
        cost,
      );
      for (const { key, limit } of counters) {
        parts.push(key);
        numbers.push(limit);
      }
      parts.push(...stamps);
    }
    const keyCount = parts.length;
    // All numbers share one argument: a separate argument costs more than the number in it.
    parts.push(numbers.join(' '));
    const answers = await this.redis.takeFromLimits(keyCount, ...parts);
    return answers.map((answer, index) => answerOf(answer, requests[index]!.counters.length));
  }
}

const read = (name: string): string => readFileSync(join(__dirname, name), 'utf8');

function answerOf([verdict, burstWaitMs, burstLeft, ...rest]: number[], counters: number): LimitAnswer {
  return {
    refusedBy: refusalOf(verdict!),
    burstWaitMs: burstWaitMs!,
    burstLeft: burstLeft!,
    used: rest.slice(0, counters),
    stamps: rest.slice(counters),
  };
}

function refusalOf(verdict: number): LimitAnswer['refusedBy'] {
  if (verdict === 0) return undefined;
  // The script numbers its keys from 1, and the burst key is the first.
  return verdict === 1 ? 'burst' : verdict - 2;
}
