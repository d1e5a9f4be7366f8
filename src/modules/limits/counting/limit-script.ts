import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';

interface ScriptedRedis extends Redis {
  takeFromLimits(keyCount: number, ...keysAndValues: (string | number)[]): Promise<number[]>;
  takeLease(keyCount: number, key: string, name: string, places: number, lifetimeMs: number): Promise<number>;
  giveBackToLimits(keyCount: number, ...keys: string[]): Promise<number>;
}

interface Counter {
  readonly key: string;
  /** -1: none. */
  readonly limit: number;
}

export interface LimitRequest {
  readonly burst: { readonly key: string; readonly callsPerSecond: number; readonly size: number } | undefined;
  readonly counters: readonly Counter[];
  readonly expiresAt: Date;
  /** 0 only looks. */
  readonly cost: number;
}

export interface LimitAnswer {
  /** `burst`, or the index of the counter that refused; undefined: granted. */
  readonly refusedBy: 'burst' | number | undefined;
  readonly burstWaitMs: number;
  readonly burstLeft: number;
  readonly used: readonly number[];
}

/** The Lua scripts beside this file as methods. Their errors are those of Redis being away. */
@Injectable()
export class LimitScript {
  private readonly redis: ScriptedRedis;

  constructor(redis: RedisConnections) {
    this.redis = redis.fast() as ScriptedRedis;
    this.redis.defineCommand('takeFromLimits', { lua: read('limit.lua') });
    this.redis.defineCommand('takeLease', { lua: read('lease.lua') });
    this.redis.defineCommand('giveBackToLimits', { lua: read('give-back.lua') });
  }

  async take({ burst, counters, expiresAt, cost }: LimitRequest): Promise<LimitAnswer> {
    const emissionUs = burst === undefined ? 0 : 1_000_000 / burst.callsPerSecond;
    const [verdict, burstWaitMs, burstLeft, ...used] = await this.redis.takeFromLimits(
      counters.length + 1,
      burst?.key ?? counters[0]!.key,
      ...counters.map(({ key }) => key),
      emissionUs,
      emissionUs * (burst?.size ?? 0),
      Math.floor(expiresAt.getTime() / 1000),
      cost,
      ...counters.map(({ limit }) => limit),
    );
    return { refusedBy: refusalOf(verdict!), burstWaitMs: burstWaitMs!, burstLeft: burstLeft!, used };
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
}

const read = (name: string): string => readFileSync(join(__dirname, name), 'utf8');

function refusalOf(verdict: number): LimitAnswer['refusedBy'] {
  if (verdict === 0) return undefined;
  // The script counts from the burst key, which is 1.
  return verdict === 1 ? 'burst' : verdict - 2;
}
