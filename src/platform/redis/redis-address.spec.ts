import { readSettings } from '../config/settings.js';
import { addressOf, isRedisUrl } from './redis-address.js';
import { RedisSettings } from './redis.settings.js';

describe('addressOf', () => {
  it('reads a server, a server with TLS, and a socket', () => {
    expect(addressOf('redis://redis.example.com')).toEqual({ host: 'redis.example.com', port: 6379, db: 0 });
    expect(addressOf('rediss://ada:of%2Fredis@[::1]:6380/7')).toEqual({
      host: '::1',
      port: 6380,
      db: 7,
      username: 'ada',
      password: 'of/redis',
      tls: {},
    });
    expect(addressOf('unix:///run/my%20redis.sock?db=2')).toEqual({ path: '/run/my redis.sock', db: 2 });
  });

  it('reads the sentinels of a primary', () => {
    expect(addressOf('redis+sentinel://:of%2Fredis@one:1234,[::1]:5,10.0.0.3/my-service/4')).toEqual({
      sentinels: [
        { host: 'one', port: 1234 },
        { host: '::1', port: 5 },
        { host: '10.0.0.3', port: 26_379 },
      ],
      name: 'my-service',
      db: 4,
      password: 'of/redis',
    });
    expect(addressOf('rediss+sentinel://one/service')).toMatchObject({ tls: {}, sentinelTLS: {}, name: 'service' });
  });

  it.each([
    'redis://',
    'redis://:hunter2@',
    'redis://:hunter2@host:99999',
    'redis://:hunter2/x@host',
    'redis://:hunter2%@host',
    'redis://:hunter2@host/cache',
    'redis+sentinel://:hunter2@host',
    'redis+sentinel://:hunter2@host/',
    'redis+sentinel://:hunter2@host:0/service',
    'redis+sentinel://:hunter2@one,,two/service',
    'redis+sentinel://:hunter2/x@one/service',
    'redis+sentinel://:hunter2@one/service/cache',
    'unix://?db=0',
    'unix:///redis.sock?db=hunter2',
  ])('refuses %s without showing it', (url) => {
    expect(isRedisUrl(url)).toBe(false);
    let shown = '';
    try {
      addressOf(url);
    } catch (error) {
      const { message, input, cause } = error as Error & { input?: unknown };
      shown = JSON.stringify([message, input, cause]);
    }
    expect(shown).toContain('must have the form');
    expect(shown).not.toContain('hunter2');
  });
});

describe('RedisSettings', () => {
  const read = (source: NodeJS.ProcessEnv): RedisSettings => readSettings([RedisSettings], source).of(RedisSettings);

  it('asks for one replica with Sentinel, and for none without', () => {
    expect(read({ REDIS_URL: 'redis+sentinel://one/service' }).replicas).toBe(1);
    expect(read({ REDIS_URL: 'redis+sentinel://one/service', REDIS_REPLICAS: '0' }).replicas).toBe(0);
    expect(read({ REDIS_URL: 'rediss://one', REDIS_REPLICAS: '2' }).replicas).toBe(2);
    expect(read({ REDIS_URL: 'redis://one' }).replicas).toBe(0);
    expect(read({}).replicas).toBe(0);
  });

  it('gives sentinels their own password', () => {
    const settings = read({
      REDIS_URL: 'redis+sentinel://:one@host/service',
      REDIS_SENTINEL_USER: 'watcher',
      REDIS_SENTINEL_PASSWORD: 'two',
    });
    expect(settings.options).toMatchObject({ password: 'one', sentinelUsername: 'watcher', sentinelPassword: 'two' });
  });

  it('refuses what does not fit together', () => {
    expect(() => read({ REDIS_URL: 'redis://:hunter2@one:x' })).toThrow(/REDIS_URL must have the form(?!.*hunter2)/);
    expect(() => read({ REDIS_URL: 'redis://one', REDIS_CA_FILE: '/etc/hostname' })).toThrow(
      'REDIS_CA_FILE needs a REDIS_URL that starts with rediss',
    );
    expect(() => read({ REDIS_URL: 'rediss://one', REDIS_CERT_FILE: '/nowhere.pem' })).toThrow(
      /REDIS_CERT_FILE must name a file that can be read[^]*must be set together/,
    );
    expect(() => read({ REDIS_URL: 'redis://one', REDIS_SENTINEL_PASSWORD: 'two' })).toThrow(
      'REDIS_SENTINEL_PASSWORD needs a REDIS_URL with +sentinel',
    );
  });
});
