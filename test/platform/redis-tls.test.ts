import { setTimeout as sleep } from 'node:timers/promises';
import { Config } from '../../src/platform/config/config.js';
import { readSettings } from '../../src/platform/config/settings.js';
import { Shutdown } from '../../src/platform/lifecycle/shutdown.js';
import type { Log } from '../../src/platform/logging/log.js';
import { RedisConnections } from '../../src/platform/redis/redis-connections.js';
import { RedisSettings } from '../../src/platform/redis/redis.settings.js';
import { makeScratchDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { RedisGroup } from '../support/redis-group.js';
import { type CertificateFiles, TestAuthority } from '../support/test-authority.js';
import { eventually } from '../support/test-app.js';
import { readFileSync } from 'node:fs';

const PASSWORD = 'of/redis';
const SENTINEL_PASSWORD = 'of-the-sentinels';
const HERE = [{ type: 'ip', value: '127.0.0.1' } as const];

describe('Redis with TLS', () => {
  const directory = makeScratchDirectory();
  let authority: TestAuthority;
  let client: CertificateFiles;
  let trusted: RedisGroup;
  let misnamed: RedisGroup;
  const opened: Shutdown[] = [];
  let warnings: string[] = [];

  beforeAll(async () => {
    authority = await TestAuthority.create(directory);
    client = await authority.issue('client', []);
    trusted = groupWith(await authority.issue('redis', HERE), 1);
    misnamed = groupWith(await authority.issue('other', [{ type: 'dns', value: 'redis.example.com' }]), 0);
    await Promise.all([trusted.start(), misnamed.start()]);
  });

  afterEach(async () => {
    for (const shutdown of opened.splice(0)) await shutdown.onApplicationShutdown();
  });

  afterAll(async () => {
    await trusted.stop();
    await misnamed.stop();
    removeScratchDirectory(directory);
  });

  /** Servers that take only clients with a certificate of the authority, and ask for a password. */
  function groupWith({ certificate, key }: CertificateFiles, sentinels: number): RedisGroup {
    const common = [
      `tls-cert-file ${certificate}`,
      `tls-key-file ${key}`,
      `tls-ca-cert-file ${authority.file}`,
      'tls-auth-clients yes',
      'tls-replication yes',
    ];
    const [ca, cert, ofKey] = [authority.file, client.certificate, client.key].map((path) => readFileSync(path));
    return new RedisGroup({
      replicas: 0,
      sentinels,
      common,
      ofServers: [`requirepass ${PASSWORD}`],
      ofSentinels: [`sentinel auth-pass service ${PASSWORD}`, `requirepass ${SENTINEL_PASSWORD}`],
      isTls: true,
      // Its certificate may have another name, which is what a test is about.
      client: { tls: { ca, cert, key: ofKey, checkServerIdentity: () => undefined }, password: PASSWORD },
    });
  }

  function open(url: string, environment: NodeJS.ProcessEnv = {}): RedisConnections {
    const settings = readSettings([RedisSettings], {
      REDIS_URL: url,
      REDIS_CA_FILE: authority.file,
      REDIS_CERT_FILE: client.certificate,
      REDIS_KEY_FILE: client.key,
      REDIS_TIMEOUT_MS: '2000',
      ...environment,
    });
    const own: string[] = [];
    warnings = own;
    const log = {
      debug: () => undefined,
      warn: ({ error }: { error: Error }) => own.push(error.message),
    } as unknown as Log;
    const shutdown = new Shutdown();
    opened.push(shutdown);
    return new RedisConnections(settings.of(Config), settings.of(RedisSettings), log, shutdown);
  }

  const at = (group: RedisGroup): string =>
    group.primaryUrl.replace('redis://', `rediss://:${encodeURIComponent(PASSWORD)}@`);

  /** Resolves with the warning of the log. No command must be answered meanwhile. */
  async function refusal(redis: RedisConnections): Promise<string> {
    await eventually(() => warnings.length > 0, 'the log says why');
    await expect(redis.fast().ping()).rejects.toThrow();
    return warnings.join(', ');
  }

  it('is used with the authority of a file, and a certificate of the service', async () => {
    const redis = open(at(trusted));
    await redis.onModuleInit();
    expect(await redis.fast().ping()).toBe('PONG');
    expect(await redis.blocking().ping()).toBe('PONG');
    expect(warnings).toEqual([]);
  });

  it('is found by sentinels that use TLS and another password', async () => {
    const url = `rediss+sentinel://:${encodeURIComponent(PASSWORD)}@${trusted.sentinelHosts}/3`;
    const redis = open(url, { REDIS_SENTINEL_PASSWORD: SENTINEL_PASSWORD, REDIS_REPLICAS: '0' });
    await eventually(() => redis.isUp, 'it is connected');
    await redis.producer().set('where', 'here');
    expect(await redis.producer().client('INFO')).toMatch(/ db=3 /);
  });

  it('is refused under another authority or name, and by servers that ask for a certificate', async () => {
    expect(await refusal(open(at(trusted), { REDIS_CA_FILE: '' }))).toMatch(/certificate/);
    expect(await refusal(open(at(misnamed)))).toMatch(/altnames|does not match/);
    const bare = open(at(trusted), { REDIS_CERT_FILE: '', REDIS_KEY_FILE: '' });
    await sleep(500);
    expect(bare.isUp).toBe(false);
    await expect(bare.fast().ping()).rejects.toThrow();
  });

  it('reports a wrong password once, without the password', async () => {
    const redis = open(at(trusted).replace(encodeURIComponent(PASSWORD), 'guessed'));
    expect(await refusal(redis)).toMatch(/WRONGPASS/);
    await sleep(600);
    expect(warnings.filter((line) => /WRONGPASS/.test(line)).length).toBe(1);
    expect(warnings.join()).not.toMatch(/guessed/);
  });
});
