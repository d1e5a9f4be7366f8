import { createPrivateKey } from 'node:crypto';
import { Transform, Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  Min,
  MaxLength,
  MinLength,
  ValidateBy,
} from 'class-validator';
import { parseAppsUrl } from './apps-url.js';
import { parseArtifactsUrl } from './artifacts-url.js';
import { parseFlagSettings } from './flag-settings.js';
import { parseHosts } from './hosts.js';
import { parseTrustProxy } from './trust-proxy.js';
import { parseVersionedSecrets } from './versioned-secrets.js';

export const ROLES = ['all', 'api', 'edge', 'worker', 'migrate', 'seed', 'backup', 'restore'] as const;
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** A part of the product knows what they hold; that the two lists are one is tested. */
export const DEFAULT_PLANS = ['free', 'builder', 'pro', 'enterprise'] as const;

const WEB_URL = { protocols: ['http', 'https'], require_tld: false, require_protocol: true };

const IsTrustProxy = (): PropertyDecorator =>
  ValidateBy({
    name: 'isTrustProxy',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && parseTrustProxy(value) !== undefined,
      defaultMessage: () => 'TRUST_PROXY must be a number of hops or a list of CIDRs, never "all"',
    },
  });

const IsRsaKey = (name: string): PropertyDecorator =>
  ValidateBy({
    name: 'isRsaKey',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isRsaKey(withLineBreaks(value)),
      defaultMessage: () => `${name} must be an RSA key as PEM; its line breaks may be written \\n`,
    },
  });

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** Many a place for variables takes one line alone. */
export const withLineBreaks = (pem: string): string => pem.replaceAll('\\n', '\n');

const IsVersionedSecrets = (name: string): PropertyDecorator =>
  ValidateBy({
    name: 'isVersionedSecrets',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && parseVersionedSecrets(value) !== undefined,
      defaultMessage: () =>
        `${name} must be a secret of at least 32 characters, without commas, or a list 2:<new>,1:<old> of them`,
    },
  });

const IsHosts = (name: string): PropertyDecorator =>
  ValidateBy({
    name: 'isHosts',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && parseHosts(value) !== undefined,
      defaultMessage: () => `${name} must be a list of <host> or <host>:<port>, with commas between`,
    },
  });

const IsFlagSettings = (name: string): PropertyDecorator =>
  ValidateBy({
    name: 'isFlagSettings',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && parseFlagSettings(value) !== undefined,
      defaultMessage: () => `${name} must be a list of <flag>=on or <flag>=off, with commas between`,
    },
  });

const IsAppsUrl = (): PropertyDecorator =>
  ValidateBy({
    name: 'isAppsUrl',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && parseAppsUrl(value) !== undefined,
      defaultMessage: () =>
        'APPS_URL must be http:// or https://, a domain in lower case, and nothing after an optional port',
    },
  });

const IsArtifactsUrl = (): PropertyDecorator =>
  ValidateBy({
    name: 'isArtifactsUrl',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && parseArtifactsUrl(value, '.') !== undefined,
      defaultMessage: () =>
        'ARTIFACTS_URL must be file:, file:///path or s3://bucket/prefix?endpoint=https://…&region=…',
    },
  });

const IsOneOfUrls = (name: string, schemes: readonly string[]): PropertyDecorator =>
  ValidateBy({
    name: 'isUrlOfScheme',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && schemes.some((scheme) => value.startsWith(scheme)),
      defaultMessage: () => `${name} must start with ${schemes.join(' or ')}`,
    },
  });

/** What the process reads from its environment, checked; nothing else may touch `process.env`. */
export class Environment {
  @IsOptional()
  @IsIn(ROLES)
  ROLE: (typeof ROLES)[number] = 'all';

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(65_535)
  PORT: number = 3000;

  @IsOptional()
  @IsString()
  HOST: string = '127.0.0.1';

  @IsOptional()
  @IsUrl(WEB_URL)
  PUBLIC_URL?: string;

  @IsOptional()
  @IsString()
  DATA_DIR: string = '.data';

  /** Writes are refused when the disk of `DATA_DIR` has less room than this, or than a tenth of a small disk. */
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(1_048_576)
  STORAGE_RESERVE_MIB: number = 256;

  @IsOptional()
  @IsOneOfUrls('DATABASE_URL', ['postgres://', 'postgresql://'])
  DATABASE_URL?: string;

  @IsOptional()
  @IsOneOfUrls('REDIS_URL', ['redis://', 'rediss://', 'unix://'])
  REDIS_URL?: string;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(10)
  @Max(5_000)
  REDIS_TIMEOUT_MS: number = 50;

  @IsOptional()
  @IsIn(LOG_LEVELS)
  LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';

  /** API keys are hashed with it; unset, one is made in the data directory for the database of our own. */
  @IsOptional()
  @IsVersionedSecrets('API_KEY_PEPPER')
  API_KEY_PEPPER?: string;

  /** Secrets of projects are sealed with it; unset, one is made in the data directory for the database of our own. */
  @IsOptional()
  @IsVersionedSecrets('SECRETS_KEY')
  SECRETS_KEY?: string;

  /** Backups are encrypted with it; unset, they are plain. */
  @IsOptional()
  @IsString()
  @MinLength(12)
  BACKUP_PASSPHRASE?: string;

  @IsOptional()
  @IsIn(DEFAULT_PLANS)
  DEFAULT_PLAN: (typeof DEFAULT_PLANS)[number] = 'free';

  /** Without Stripe: whether a larger plan waits for an operator, or begins at once for whoever chooses it. */
  @IsOptional()
  @IsIn(['approved', 'free'])
  PLAN_CHANGES: 'approved' | 'free' = 'approved';

  @IsOptional()
  @IsIn(['log', 'smtp'])
  MAILER: 'log' | 'smtp' = 'log';

  @IsOptional()
  @IsOneOfUrls('SMTP_URL', ['smtp://', 'smtps://'])
  SMTP_URL?: string;

  @IsOptional()
  @IsString()
  MAIL_FROM: string = 'Service <no-reply@localhost>';

  /** Unset: `required` where mail is sent, `off` where messages are files that only the operator reads. */
  @IsOptional()
  @IsIn(['required', 'off'])
  EMAIL_VERIFICATION?: 'required' | 'off';

  /** When unset, the /ops endpoints are open (service document §5). */
  @IsOptional()
  @IsString()
  @MinLength(16)
  OPS_TOKEN?: string;

  /** When unset, GET /metrics is open (service document §5). */
  @IsOptional()
  @IsString()
  @MinLength(16)
  METRICS_TOKEN?: string;

  /** Where people report vulnerabilities. */
  @IsOptional()
  @Matches(/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, {
    message: 'SECURITY_CONTACT must be mailto:<address> or an https:// address',
  })
  SECURITY_CONTACT?: string;

  @IsOptional()
  @IsString()
  FEATURE_FLAG_ALLOWLIST: string = '';

  /** Flags that this environment fixes, `sign_ups=off,deploys=on`; nobody can toggle them then. */
  @IsOptional()
  @IsFlagSettings('FEATURE_FLAGS')
  FEATURE_FLAGS: string = '';

  @IsOptional()
  @IsTrustProxy()
  TRUST_PROXY?: string;

  /** Open connections of one process, and those of one address that is no proxy of ours. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(100)
  @Max(1_000_000)
  MAX_CONNECTIONS: number = 10_000;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(10)
  @Max(1_000_000)
  MAX_CONNECTIONS_PER_ADDRESS: number = 500;

  @IsOptional()
  @IsUrl(WEB_URL)
  PRICING_URL?: string;

  @IsOptional()
  @IsUrl(WEB_URL)
  DASHBOARD_URL?: string;

  @IsOptional()
  @IsUrl(WEB_URL)
  DOCS_URL?: string;

  /** What usage costs; unset, the prices that come with the service. */
  @IsOptional()
  @IsString()
  PRICES_FILE?: string;

  /** Trusted sources report usage with it; unset, they cannot. */
  @IsOptional()
  @IsString()
  @MinLength(16)
  USAGE_TOKEN?: string;

  /** Hosts that repositories may also come from though nobody else could reach them, for tests and mirrors. */
  @IsOptional()
  @IsHosts('GIT_ALLOWED_HOSTS')
  GIT_ALLOWED_HOSTS: string = '';

  /** Who writes invoices, as it stands on them: name, address, tax number, with semicolons between the lines. */
  @IsOptional()
  @IsString()
  @MaxLength(500)
  INVOICE_ISSUER: string = '';

  /** Who takes the money for invoices: both, or neither. */
  @IsOptional()
  @IsString()
  @MinLength(16)
  STRIPE_SECRET_KEY?: string;

  @IsOptional()
  @IsString()
  @MinLength(16)
  STRIPE_WEBHOOK_SECRET?: string;

  @IsOptional()
  @IsUrl(WEB_URL)
  STRIPE_API_URL: string = 'https://api.stripe.com';

  /** The GitHub App by which people connect their accounts: all of these, or none. */
  @IsOptional()
  @Matches(/^\d{1,15}$/, { message: 'GITHUB_APP_ID must be a number' })
  GITHUB_APP_ID?: string;

  @IsOptional()
  @Matches(/^[a-z0-9-]{1,100}$/, { message: 'GITHUB_APP_SLUG must be the name of the app in its address' })
  GITHUB_APP_SLUG?: string;

  @IsOptional()
  @IsRsaKey('GITHUB_APP_PRIVATE_KEY')
  GITHUB_APP_PRIVATE_KEY?: string;

  @IsOptional()
  @IsString()
  GITHUB_APP_CLIENT_ID?: string;

  @IsOptional()
  @IsString()
  GITHUB_APP_CLIENT_SECRET?: string;

  @IsOptional()
  @IsString()
  @MinLength(16)
  GITHUB_WEBHOOK_SECRET?: string;

  /** The account that has the templates, as repositories of their names. */
  @IsOptional()
  @Matches(/^[A-Za-z0-9-]{1,39}$/, { message: 'GITHUB_TEMPLATE_OWNER must be the name of an account' })
  GITHUB_TEMPLATE_OWNER?: string;

  @IsOptional()
  @IsUrl(WEB_URL)
  GITHUB_URL: string = 'https://github.com';

  @IsOptional()
  @IsUrl(WEB_URL)
  GITHUB_API_URL: string = 'https://api.github.com';

  /** Of a repository of this service, on disk. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_048_576)
  REPOSITORY_MAX_MIB: number = 500;

  /** Hosts that builds may reach beside the public package registries, wherever they lead. */
  @IsOptional()
  @IsHosts('BUILD_ALLOWED_HOSTS')
  BUILD_ALLOWED_HOSTS: string = '';
  /** Deploys at the same time in one worker; unset, one for each processor. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(64)
  DEPLOY_CONCURRENCY?: number;

  /** The role `edge` listens on it for the hosts of deploys. Unset, the port after PORT. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(65_535)
  APPS_PORT?: number;

  /** Where the world reaches deploys: each has a host name below the host of this address. */
  @IsOptional()
  @IsAppsUrl()
  APPS_URL?: string;

  /** The server of a deploy is frozen when no request came for this long; the next request wakes it. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(100)
  @Max(86_400_000)
  APP_FREEZE_AFTER_MS: number = 60_000;

  /** The server of a deploy is stopped when no request came for this long; the next request starts it. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(100)
  @Max(86_400_000)
  APP_STOP_AFTER_MS: number = 600_000;

  /** Where the files of deploys are kept: `file:` is a directory of DATA_DIR. */
  @IsOptional()
  @IsArtifactsUrl()
  ARTIFACTS_URL: string = 'file:';

  @IsOptional()
  @IsString()
  AWS_ACCESS_KEY_ID?: string;

  @IsOptional()
  @IsString()
  AWS_SECRET_ACCESS_KEY?: string;

  @IsOptional()
  @IsString()
  AWS_SESSION_TOKEN?: string;

  @IsOptional()
  @IsIn(['auto', 'never'])
  SERVICE_INSTALL: 'auto' | 'never' = 'auto';

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(10_000)
  DRAIN_DELAY_MS: number = 2_000;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  ANONYMOUS_CALLS_PER_DAY: number = 1_000;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  ANONYMOUS_CALLS_PER_SECOND: number = 5;

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asBoolean(value))
  @IsBoolean()
  SANDBOX_ENABLED: boolean = true;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  SANDBOX_EXECUTIONS_PER_DAY: number = 10;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(100)
  @Max(30_000)
  SANDBOX_TIMEOUT_MS: number = 30_000;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(64)
  @Max(4_096)
  SANDBOX_MEMORY_MIB: number = 256;

  /** Runs at the same time in one worker; unset, one for each processor. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(64)
  SANDBOX_CONCURRENCY?: number;

  @IsOptional()
  @IsIn(['auto', 'off'])
  SANDBOX_CGROUPS: 'auto' | 'off' = 'auto';

  /** Of all work of tenants on this machine together; 100 is one busy process of the service. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(10_000)
  SANDBOX_CPU_WEIGHT: number = 10;

  /** Where bubblewrap is, when it is not in a usual place. */
  @IsOptional()
  @IsString()
  SANDBOX_BUBBLEWRAP?: string;
}

function asBoolean(value: unknown): unknown {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  return value;
}
