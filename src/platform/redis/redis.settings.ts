import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type { RedisOptions } from 'ioredis';
import { ModuleSettings } from '../config/module-settings.js';
import { IntegerSetting, TextSetting } from '../config/setting.js';
import { addressOf, usesSentinel, usesTls } from './redis-address.js';

const PAGE = 'operations/redis-and-postgresql.md';

export class RedisSettings extends ModuleSettings {
  @TextSetting({
    name: 'REDIS_CA_FILE',
    summary: 'Certificates, in PEM, that a Redis and its sentinels are verified with (`rediss://`).',
    unset: 'the public authorities are trusted',
    see: `${PAGE}#tls`,
  })
  private readonly caFile?: string;

  @TextSetting({
    name: 'REDIS_CERT_FILE',
    summary: 'Certificate, in PEM, that the service presents to Redis and its sentinels.',
    see: `${PAGE}#tls`,
  })
  private readonly certFile?: string;

  @TextSetting({
    name: 'REDIS_KEY_FILE',
    summary: 'Key, in PEM, of `REDIS_CERT_FILE`.',
    see: `${PAGE}#tls`,
  })
  private readonly keyFile?: string;

  @TextSetting({
    name: 'REDIS_SENTINEL_USER',
    summary: 'User at the sentinels. `REDIS_URL` has that of Redis itself.',
    see: `${PAGE}#sentinel`,
  })
  private readonly sentinelUser?: string;

  @TextSetting({
    name: 'REDIS_SENTINEL_PASSWORD',
    summary: 'Password at the sentinels. `REDIS_URL` has that of Redis itself.',
    see: `${PAGE}#sentinel`,
  })
  private readonly sentinelPassword?: string;

  @IntegerSetting({
    name: 'REDIS_REPLICAS',
    summary: 'Replicas that must have a job before it is acknowledged. `0` acknowledges what only the primary has.',
    unset: '1 with Sentinel, and 0 without',
    see: `${PAGE}#what-a-fail-over-can-lose`,
    min: 0,
    max: 10,
  })
  private readonly givenReplicas?: number;

  /** How the Redis of `REDIS_URL` is reached. */
  get options(): RedisOptions {
    const url = this.config.redisUrl!;
    const tls = usesTls(url) ? this.tls() : undefined;
    return {
      ...addressOf(url),
      ...(tls === undefined ? {} : { tls }),
      ...(tls !== undefined && usesSentinel(url) ? { sentinelTLS: tls } : {}),
      ...(this.sentinelUser === undefined ? {} : { sentinelUsername: this.sentinelUser }),
      ...(this.sentinelPassword === undefined ? {} : { sentinelPassword: this.sentinelPassword }),
    };
  }

  /** How many replicas confirm a job before it is acknowledged. */
  get replicas(): number {
    return this.givenReplicas ?? (usesSentinel(this.config.redisUrl ?? '') ? 1 : 0);
  }

  override faults(): readonly string[] {
    const { redisUrl } = this.config;
    const files = Object.entries(this.files).filter(([, path]) => path !== undefined);
    const sentinel = Object.entries({
      REDIS_SENTINEL_USER: this.sentinelUser,
      REDIS_SENTINEL_PASSWORD: this.sentinelPassword,
    }).filter(([, value]) => value !== undefined);
    return [
      ...files.filter(([, path]) => !canRead(path!)).map(([name]) => `${name} must name a file that can be read`),
      ...((this.certFile === undefined) === (this.keyFile === undefined)
        ? []
        : ['REDIS_CERT_FILE and REDIS_KEY_FILE must be set together']),
      ...(redisUrl === undefined || usesTls(redisUrl)
        ? []
        : files.map(([name]) => `${name} needs a REDIS_URL that starts with rediss`)),
      ...(redisUrl === undefined || usesSentinel(redisUrl)
        ? []
        : sentinel.map(([name]) => `${name} needs a REDIS_URL with +sentinel`)),
    ];
  }

  private get files(): Record<string, string | undefined> {
    return { REDIS_CA_FILE: this.caFile, REDIS_CERT_FILE: this.certFile, REDIS_KEY_FILE: this.keyFile };
  }

  private tls(): ConnectionOptions {
    const { caFile, certFile, keyFile } = this;
    return {
      ...(caFile === undefined ? {} : { ca: readFileSync(caFile) }),
      ...(certFile === undefined || keyFile === undefined
        ? {}
        : { cert: readFileSync(certFile), key: readFileSync(keyFile) }),
    };
  }
}

function canRead(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}
