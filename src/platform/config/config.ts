import { resolve } from 'node:path';
import { ChoiceSetting, IntegerSetting, ParsedSetting, ServerSetting, TextSetting, UrlSetting } from './setting.js';
import { parseTrustProxy, type TrustProxy } from './trust-proxy.js';
import { parseVersionedSecrets, type VersionedSecret } from './versioned-secrets.js';

export type { VersionedSecret };

export const ROLES = ['all', 'api', 'edge', 'worker', 'migrate', 'seed', 'backup', 'restore'] as const;
export type Role = (typeof ROLES)[number];

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const SECRETS_RULE = 'must be a secret of at least 32 characters, without commas, or a list 2:<new>,1:<old> of them';

/** The settings of the process and of what every module stands on. The modules declare their own. */
export class Config {
  /**
   * @param isSupervised whether the supervisor of the role `all` has started this process, which then leaves probes and
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
    summary: 'Port of the API; of probes and metrics in the roles `edge` and `worker`. `0` takes a free one.',
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
    summary: 'Where callers reach the API, for the links in answers. Must be set with `PORT=0` for links to work.',
    unset: 'it is made from `HOST` and `PORT`',
    example: 'https://api.example.com',
  })
  private readonly givenPublicUrl?: string;

  @ParsedSetting({
    name: 'TRUST_PROXY',
    summary: 'Proxies in front: their number, or their addresses as CIDRs with commas between.',
    parse: parseTrustProxy,
    rule: 'must be a number of hops or a list of CIDRs, never "all"',
  })
  readonly trustProxy: TrustProxy = 0;

  @IntegerSetting({
    name: 'MAX_CONNECTIONS',
    summary:
      'Connections that one process keeps open at once; further ones are closed. At most a third of the open files that the process may have.',
    min: 100,
    max: 1_000_000,
  })
  private readonly maxConnections: number = 10_000;

  @IntegerSetting({
    name: 'MAX_CONNECTIONS_PER_ADDRESS',
    summary: 'Those of one address (IPv6: one /64). Proxies in `TRUST_PROXY` and the machine itself are not counted.',
    min: 10,
    max: 1_000_000,
  })
  private readonly maxConnectionsPerAddress: number = 500;

  @UrlSetting({
    name: 'DASHBOARD_URL',
    summary:
      'Where the links in e-mails and the pages of the payment provider lead back to. Errors do not carry `dashboard_url` yet.',
    unset: '`PUBLIC_URL`',
    example: 'https://app.example.com',
  })
  private readonly givenDashboardUrl?: string;

  @UrlSetting({
    name: 'DOCS_URL',
    summary: 'Where errors are explained.',
    unset: '`/docs` of this service',
    example: 'https://docs.example.com',
  })
  private readonly givenDocsUrl?: string;

  @TextSetting({
    name: 'DATA_DIR',
    summary: 'Where servers of its own keep their data.',
  })
  private readonly dataDirectory: string = '.data';

  @IntegerSetting({
    name: 'STORAGE_RESERVE_MIB',
    summary:
      'Writes are refused with `storage_unavailable` when the disk of `DATA_DIR` has less room than this, or than a tenth of a smaller disk; 0: never.',
    unit: 'MiB',
    min: 0,
    max: 1_048_576,
  })
  private readonly storageReserveMib: number = 256;

  @ServerSetting({
    name: 'DATABASE_URL',
    summary: 'A PostgreSQL to use instead of its own. Every role but `all` needs it.',
    example: 'postgres://user:password@db.example.com:5432/service',
    schemes: ['postgres://', 'postgresql://'],
  })
  readonly databaseUrl: string | undefined = undefined;

  @ServerSetting({
    name: 'REDIS_URL',
    summary:
      'A Redis to use instead of its own (`unix:///path?db=0` for a socket). `api`, `edge` and `worker` need it.',
    example: 'redis://:password@redis.example.com:6379/0',
    schemes: ['redis://', 'rediss://', 'unix://'],
  })
  readonly redisUrl: string | undefined = undefined;

  @IntegerSetting({
    name: 'REDIS_TIMEOUT_MS',
    summary: 'How long a call waits for Redis. After that it is counted without Redis, or refused with 503.',
    unit: 'ms',
    min: 10,
    max: 5_000,
  })
  readonly redisTimeoutMs: number = 50;

  @ChoiceSetting({ name: 'LOG_LEVEL', summary: 'The least level of lines in the log.', values: LOG_LEVELS })
  readonly logLevel: (typeof LOG_LEVELS)[number] = 'info';

  @ParsedSetting({
    name: 'API_KEY_PEPPER',
    summary:
      'Secret of 32 characters or more that API keys and tokens are hashed with; `2:<new>,1:<old>` to change it. Keep it for as long as the database. It must be set where `DATABASE_URL` is.',
    unset: 'one is made in `DATA_DIR`',
    parse: parseVersionedSecrets,
    rule: SECRETS_RULE,
  })
  /** The newest first; empty in a process that checks no key. */
  readonly apiKeyPeppers: readonly VersionedSecret[] = [];

  @ParsedSetting({
    name: 'SECRETS_KEY',
    summary:
      'Secret of 32 characters or more that stored environment variables are encrypted with; `2:<new>,1:<old>` to change it. Keep it for as long as the database. It must be set where `DATABASE_URL` is.',
    unset: 'one is made in `DATA_DIR`',
    parse: parseVersionedSecrets,
    rule: SECRETS_RULE,
  })
  /** The newest first; empty in a process that opens no secret. */
  readonly secretsKeys: readonly VersionedSecret[] = [];

  @ChoiceSetting({
    name: 'MAILER',
    summary: '`smtp`: send e-mail. `log`: write each message to a file below `DATA_DIR` and its place to the log.',
    values: ['log', 'smtp'],
  })
  private readonly mailer: 'log' | 'smtp' = 'log';

  @ServerSetting({
    name: 'SMTP_URL',
    summary: 'The mail server. `MAILER=smtp` needs it.',
    example: 'smtp://user:password@mail.example.com:587',
    schemes: ['smtp://', 'smtps://'],
  })
  private readonly smtpUrl?: string;

  @TextSetting({ name: 'MAIL_FROM', summary: 'Sender of e-mail.' })
  private readonly mailFrom: string = 'Service <no-reply@localhost>';

  /** Read by `scripts/system-packages.mjs`, and declared here so that it is known. */
  @ChoiceSetting({
    name: 'SERVICE_INSTALL',
    summary: 'Missing system packages: `auto` installs them where it may, `never` only says which are missing.',
    values: ['auto', 'never'],
  })
  protected readonly install: 'auto' | 'never' = 'auto';

  @IntegerSetting({
    name: 'DRAIN_DELAY_MS',
    summary: 'After SIGTERM, how long `/ready` says 503 before the port closes.',
    unit: 'ms',
    min: 0,
    max: 10_000,
  })
  readonly drainDelayMs: number = 2_000;

  /** Where callers reach the API, without a slash at the end. */
  get publicUrl(): string {
    return this.givenPublicUrl ?? `http://${hostForUrl(this.host)}:${this.port}`;
  }

  get dashboardUrl(): string {
    return this.givenDashboardUrl ?? this.publicUrl;
  }

  get docsUrl(): string {
    return this.givenDocsUrl ?? `${this.publicUrl}/docs`;
  }

  get dataDir(): string {
    return resolve(this.dataDirectory);
  }

  /**
   * Where programs that run as users of their own find their files: as root they have users of their own, who may not
   * reach into a private data directory.
   */
  get isolatedHome(): string {
    return process.getuid?.() === 0 ? '/var/lib/service-platform' : this.dataDir;
  }

  /** Writes are refused below so much free room on the disk of {@link dataDir}; 0: never. */
  get storageReserveBytes(): number {
    return this.storageReserveMib * 1_048_576;
  }

  /** How many may be open at once in one process, and how many of them from one address. */
  get connections(): { readonly max: number; readonly maxPerAddress: number } {
    return { max: this.maxConnections, maxPerAddress: this.maxConnectionsPerAddress };
  }

  get mail(): MailConfig {
    return { mailer: this.mailer, smtpUrl: this.smtpUrl, from: this.mailFrom };
  }

  faults(environment: NodeJS.ProcessEnv): readonly string[] {
    return [...this.missingServers(), ...this.missingSecrets(environment)];
  }

  /** Only the role `all` brings servers of its own: several processes must share theirs. */
  private missingServers(): string[] {
    // There can be a backup of the database of our own too.
    if (['all', 'backup', 'restore'].includes(this.role)) return [];
    const missing = (name: string): string => `${name} must be set for the role ${this.role}`;
    const needsRedis = this.role !== 'migrate' && this.role !== 'seed';
    return [
      ...(this.databaseUrl === undefined ? [missing('DATABASE_URL')] : []),
      ...(needsRedis && this.redisUrl === undefined ? [missing('REDIS_URL')] : []),
    ];
  }

  /**
   * Who brings a database also keeps its secrets: one that we made up would be lost with this machine, and with it every
   * API key and everything that is encrypted. Our own database comes with secrets of its own, in the data directory.
   */
  private missingSecrets(environment: NodeJS.ProcessEnv): string[] {
    const { role, databaseUrl, mailer, smtpUrl } = this;
    const faults: string[] = [];
    for (const name of ['API_KEY_PEPPER', 'SECRETS_KEY']) {
      if (environment[name] !== undefined) continue;
      // A worker makes the tokens that are sent by e-mail.
      if (role === 'api' || role === 'edge' || role === 'worker')
        faults.push(`${name} must be set for the role ${role}`);
      if (role === 'all' && databaseUrl !== undefined) faults.push(`${name} must be set where DATABASE_URL is`);
    }
    if (mailer === 'smtp' && smtpUrl === undefined) faults.push('SMTP_URL must be set for MAILER=smtp');
    return faults;
  }
}

export interface MailConfig {
  /** `log`: messages are written to files of the data directory, and the log says where. */
  readonly mailer: 'log' | 'smtp';
  /** With the mailer `smtp`; may hold a user and a password. */
  readonly smtpUrl: string | undefined;
  readonly from: string;
}

/** An address that stands for "every interface" is not one that a caller can open. */
function hostForUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
