import { resolve } from 'node:path';
import type { BlobCredentials } from '../blobs/blobs-url.js';
import { DATABASE_SCHEMES, faultOfDatabaseUrl, withTlsOfLibpq } from '../database/database-url.js';
import { isRedisUrl, REDIS_SCHEMES, REDIS_URL_RULE } from '../redis/redis-address.js';
import { ChoiceSetting, IntegerSetting, ParsedSetting, ServerSetting, TextSetting, UrlSetting } from './setting.js';
import { parseTrustProxy, type TrustProxy } from './trust-proxy.js';
import { parseVersionedSecrets, type VersionedSecret } from './versioned-secrets.js';

export type { VersionedSecret };

export const ROLES = ['all', 'api', 'edge', 'worker', 'databases', 'migrate', 'seed', 'backup', 'restore'] as const;
export type Role = (typeof ROLES)[number];

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const SECRETS_RULE = 'must be a secret of at least 32 characters, without commas, or a list 2:<new>,1:<old> of them';

/** The settings of the process and of what every module depends on. Each module declares its own. */
export class Config {
  /**
   * @param isSupervised true when the supervisor of the role `all` started this process, which then leaves probes and
   * metrics to the API.
   */
  constructor(readonly isSupervised: boolean) {}

  @ChoiceSetting({
    name: 'ROLE',
    summary: 'What this process does. An argument wins: `npm start -- worker`.',
    see: '../README.md',
    values: ROLES,
  })
  readonly role: Role = 'all';

  @IntegerSetting({
    name: 'PORT',
    summary:
      'Port of the API, or of probes and metrics in the roles `edge`, `worker` and `databases`. `0` picks a free one.',
    min: 0,
    max: 65_535,
  })
  readonly port: number = 3000;

  @TextSetting({
    name: 'HOST',
    summary: 'Address to listen on; `0.0.0.0` for every interface.',
  })
  readonly host: string = '127.0.0.1';

  @UrlSetting({
    name: 'PUBLIC_URL',
    summary: 'URL at which callers reach the API, for links in responses. It must be set with `PORT=0`.',
    unset: 'it is derived from `HOST` and `PORT`',
    example: 'https://api.example.com',
  })
  private readonly givenPublicUrl?: string;

  @ParsedSetting({
    name: 'TRUST_PROXY',
    summary:
      'Trusted proxies in front of the service: their number, or their addresses as a comma-separated list of CIDRs.',
    parse: parseTrustProxy,
    rule: 'must be a number of hops or a list of CIDRs, never "all"',
  })
  readonly trustProxy: TrustProxy = 0;

  @IntegerSetting({
    name: 'MAX_CONNECTIONS',
    summary:
      'Connections that one process keeps open; further ones are closed. ' +
      'The limit is at most a third of the open files that the process may have.',
    min: 100,
    max: 1_000_000,
  })
  private readonly maxConnections: number = 10_000;

  @IntegerSetting({
    name: 'MAX_CONNECTIONS_PER_ADDRESS',
    summary:
      'Connections that one address (IPv6: one /64) may keep open. ' +
      'Proxies in `TRUST_PROXY` and the machine itself are not counted.',
    min: 10,
    max: 1_000_000,
  })
  private readonly maxConnectionsPerAddress: number = 500;

  @UrlSetting({
    name: 'DASHBOARD_URL',
    summary:
      'URL of the app for people, which links in e-mails, `dashboard_url` of errors and the pages of the payment ' +
      'provider lead to.',
    unset: '`/app` of this service',
    example: 'https://app.example.com',
  })
  private readonly givenDashboardUrl?: string;

  @UrlSetting({
    name: 'DOCS_URL',
    summary: 'URL of the documentation, for the links in errors.',
    unset: '`/docs` of this service',
    example: 'https://docs.example.com',
  })
  private readonly givenDocsUrl?: string;

  @TextSetting({
    name: 'DATA_DIR',
    summary: 'Directory in which servers of its own keep their data.',
  })
  private readonly dataDirectory: string = '.data';

  @IntegerSetting({
    name: 'STORAGE_RESERVE_MIB',
    summary:
      'Writes are refused with `storage_unavailable` when the disk of `DATA_DIR` has less free space than this, ' +
      'or than a tenth of a smaller disk. `0` disables the check.',
    unit: 'MiB',
    min: 0,
    max: 1_048_576,
  })
  private readonly storageReserveMib: number = 256;

  @ServerSetting({
    name: 'DATABASE_URL',
    summary: 'A PostgreSQL to use instead of its own. Every role but `all` requires it.',
    see: 'operations/redis-and-postgresql.md#postgresql',
    example: 'postgres://user:password@db.example.com:5432/service?sslmode=verify-full',
    schemes: DATABASE_SCHEMES,
    faultOf: faultOfDatabaseUrl,
    read: withTlsOfLibpq,
  })
  readonly databaseUrl: string | undefined = undefined;

  @ServerSetting({
    name: 'DATABASE_DIRECT_URL',
    summary:
      'The same database without the pooler that `DATABASE_URL` leads to: for notifications, long locks, migrations ' +
      'and backups.',
    unset: '`DATABASE_URL` serves these too',
    see: 'operations/redis-and-postgresql.md#pgbouncer',
    example: 'postgres://user:password@db.example.com:5432/service?sslmode=verify-full',
    schemes: DATABASE_SCHEMES,
    faultOf: faultOfDatabaseUrl,
    read: withTlsOfLibpq,
  })
  private readonly givenDirectUrl: string | undefined = undefined;

  @ServerSetting({
    name: 'REDIS_URL',
    summary:
      'A Redis to use instead of its own (`unix:///path?db=0` for a socket, ' +
      '`redis+sentinel://user:password@host:26379,host:26379/name` for a primary by name). `api`, `edge`, `worker` ' +
      'and `databases` require it.',
    see: 'operations/redis-and-postgresql.md#redis',
    example: 'redis://:password@redis.example.com:6379/0',
    schemes: REDIS_SCHEMES,
    faultOf: (url) => (isRedisUrl(url) ? undefined : REDIS_URL_RULE),
  })
  readonly redisUrl: string | undefined = undefined;

  @IntegerSetting({
    name: 'REDIS_TIMEOUT_MS',
    summary: 'How long a request waits for Redis. After that it is counted without Redis, or refused with 503.',
    unit: 'ms',
    min: 10,
    max: 5_000,
  })
  readonly redisTimeoutMs: number = 50;

  @ChoiceSetting({ name: 'LOG_LEVEL', summary: 'Lowest level of the lines in the log.', values: LOG_LEVELS })
  readonly logLevel: (typeof LOG_LEVELS)[number] = 'info';

  @ParsedSetting({
    name: 'API_KEY_PEPPER',
    summary:
      'Secret of 32 characters or more that API keys and tokens are hashed with; `2:<new>,1:<old>` to change it. ' +
      'Keep it for as long as the database. It must be set where `DATABASE_URL` is.',
    unset: 'one is created in `DATA_DIR`',
    parse: parseVersionedSecrets,
    rule: SECRETS_RULE,
  })
  /** The newest secret comes first. The list is empty in a process that checks no key. */
  readonly apiKeyPeppers: readonly VersionedSecret[] = [];

  @ParsedSetting({
    name: 'SECRETS_KEY',
    summary:
      'Secret of 32 characters or more that stored environment variables are encrypted with; ' +
      '`2:<new>,1:<old>` to change it. ' +
      'Keep it for as long as the database. It must be set where `DATABASE_URL` is.',
    unset: 'one is created in `DATA_DIR`',
    parse: parseVersionedSecrets,
    rule: SECRETS_RULE,
  })
  /** The newest secret comes first. The list is empty in a process that decrypts nothing. */
  readonly secretsKeys: readonly VersionedSecret[] = [];

  @ChoiceSetting({
    name: 'MAILER',
    summary: '`smtp` sends e-mail. `log` writes each message to a file below `DATA_DIR` and its path to the log.',
    values: ['log', 'smtp'],
  })
  private readonly mailer: 'log' | 'smtp' = 'log';

  @ServerSetting({
    name: 'SMTP_URL',
    summary: 'The mail server. `MAILER=smtp` requires it.',
    example: 'smtp://user:password@mail.example.com:587',
    schemes: ['smtp://', 'smtps://'],
  })
  private readonly smtpUrl?: string;

  @TextSetting({ name: 'MAIL_FROM', summary: 'Sender of e-mail.' })
  private readonly mailFrom: string = 'Service <no-reply@localhost>';

  /** `scripts/system-packages.mjs` reads this setting. It is declared here so that it is documented and checked. */
  @ChoiceSetting({
    name: 'SERVICE_INSTALL',
    summary: 'Missing system packages: `auto` installs them if it may, `never` only lists them.',
    values: ['auto', 'never'],
  })
  protected readonly install: 'auto' | 'never' = 'auto';

  @IntegerSetting({
    name: 'DRAIN_DELAY_MS',
    summary: 'How long `/ready` returns 503 after SIGTERM before the port closes.',
    unit: 'ms',
    min: 0,
    max: 10_000,
  })
  readonly drainDelayMs: number = 2_000;

  @TextSetting({
    name: 'AWS_ACCESS_KEY_ID',
    summary: 'For settings that name a bucket (`s3://…`). By default the credentials of the machine are used.',
  })
  private readonly accessKeyId?: string;

  @TextSetting({ name: 'AWS_SECRET_ACCESS_KEY', summary: 'For settings that name a bucket (`s3://…`).' })
  private readonly secretAccessKey?: string;

  @TextSetting({
    name: 'AWS_SESSION_TOKEN',
    summary: 'For settings that name a bucket (`s3://…`), with temporary credentials.',
  })
  private readonly sessionToken?: string;

  /** The address at which callers reach the API, without a trailing slash. */
  get publicUrl(): string {
    return this.givenPublicUrl ?? `http://${hostForUrl(this.host)}:${this.port}`;
  }

  get dashboardUrl(): string {
    return this.givenDashboardUrl ?? `${this.publicUrl}/app`;
  }

  get docsUrl(): string {
    return this.givenDocsUrl ?? `${this.publicUrl}/docs`;
  }

  /** For what lasts longer than a transaction and must not go through a pooler. */
  get directDatabaseUrl(): string | undefined {
    return this.givenDirectUrl ?? this.databaseUrl;
  }

  get dataDir(): string {
    return resolve(this.dataDirectory);
  }

  /**
   * The home of programs that run as dedicated users. As root those users may not reach into a private data directory,
   * so it is outside of it.
   */
  get isolatedHome(): string {
    return process.getuid?.() === 0 ? '/var/lib/service-platform' : this.dataDir;
  }

  /** Writes are refused when the disk of {@link dataDir} has less free space than this; 0 disables the check. */
  get storageReserveBytes(): number {
    return this.storageReserveMib * 1_048_576;
  }

  /** Undefined unless the settings name both parts of a key. */
  get blobCredentials(): BlobCredentials {
    const { accessKeyId, secretAccessKey, sessionToken } = this;
    if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
    return { accessKeyId, secretAccessKey, sessionToken };
  }

  /** How many connections one process may keep open, and how many of them may come from one address. */
  get connections(): { readonly max: number; readonly maxPerAddress: number } {
    return { max: this.maxConnections, maxPerAddress: this.maxConnectionsPerAddress };
  }

  get mail(): MailConfig {
    return { mailer: this.mailer, smtpUrl: this.smtpUrl, from: this.mailFrom };
  }

  faults(environment: NodeJS.ProcessEnv): readonly string[] {
    const { databaseUrl, givenDirectUrl } = this;
    return [
      ...this.missingServers(),
      ...(databaseUrl === undefined && givenDirectUrl !== undefined ? ['DATABASE_DIRECT_URL needs DATABASE_URL'] : []),
      ...this.missingSecrets(environment),
    ];
  }

  /** Only the role `all` starts servers of its own, because several processes must share theirs. */
  private missingServers(): string[] {
    // A backup may also be one of the service's own database.
    if (['all', 'backup', 'restore'].includes(this.role)) return [];
    const missing = (name: string): string => `${name} must be set for the role ${this.role}`;
    const needsRedis = this.role !== 'migrate' && this.role !== 'seed';
    return [
      ...(this.databaseUrl === undefined ? [missing('DATABASE_URL')] : []),
      ...(needsRedis && this.redisUrl === undefined ? [missing('REDIS_URL')] : []),
    ];
  }

  /**
   * An operator who brings a database also keeps its secrets: a generated one would be lost with this machine, and with
   * it every API key and everything encrypted. The service's own database comes with secrets in the data directory.
   */
  private missingSecrets(environment: NodeJS.ProcessEnv): string[] {
    const { role, databaseUrl, mailer, smtpUrl } = this;
    const faults: string[] = [];
    for (const name of ['API_KEY_PEPPER', 'SECRETS_KEY']) {
      if (environment[name] !== undefined) continue;
      // A worker needs them because it creates the tokens that are sent by e-mail.
      if (role === 'api' || role === 'edge' || role === 'worker' || role === 'databases')
        faults.push(`${name} must be set for the role ${role}`);
      if (role === 'all' && databaseUrl !== undefined) faults.push(`${name} must be set where DATABASE_URL is`);
    }
    if (mailer === 'smtp' && smtpUrl === undefined) faults.push('SMTP_URL must be set for MAILER=smtp');
    return faults;
  }
}

export interface MailConfig {
  /** With `log`, messages are written to files in the data directory, and the log names each file. */
  readonly mailer: 'log' | 'smtp';
  /** Required for the mailer `smtp`. It may hold a user and a password. */
  readonly smtpUrl: string | undefined;
  readonly from: string;
}

/** A caller cannot open an address that means "every interface". */
function hostForUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
