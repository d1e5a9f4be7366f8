import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { PROJECT_ROOT } from '../version.js';
import { type AppsUrl, parseAppsUrl } from './apps-url.js';
import { type ArtifactsPlace, parseArtifactsUrl } from './artifacts-url.js';
import { type DEFAULT_PLANS, Environment, type LOG_LEVELS, type ROLES, withLineBreaks } from './environment.js';
import { parseFlagSettings } from './flag-settings.js';
import { parseHosts } from './hosts.js';
import { parseTrustProxy, type TrustProxy } from './trust-proxy.js';
import { parseVersionedSecrets, type VersionedSecret } from './versioned-secrets.js';
import { trimEnd } from '../text/trim.js';

export type { ArtifactsPlace, VersionedSecret };

export type Role = (typeof ROLES)[number];

/** The settings of one process, checked. Made once in `main.ts` and injected everywhere else. */
export abstract class Config {
  abstract readonly role: Role;
  abstract readonly port: number;
  /**
   * Whether the supervisor of the role `all` has started this process, which then leaves probes and metrics to the API.
   */
  abstract readonly isSupervised: boolean;
  abstract readonly host: string;
  /**
   * Where callers reach the API, without a slash at the end. With `PORT=0` it must be set for links to lead anywhere.
   */
  abstract readonly publicUrl: string;
  abstract readonly dataDir: string;
  /** Writes are refused below so much free room on the disk of {@link dataDir}; 0: never. */
  abstract readonly storageReserveBytes: number;
  /** Undefined: the process starts a server of its own (role `all` only). */
  abstract readonly databaseUrl: string | undefined;
  abstract readonly redisUrl: string | undefined;
  /** How long a call waits for Redis before it goes on, or is refused, without. */
  abstract readonly redisTimeoutMs: number;
  abstract readonly logLevel: (typeof LOG_LEVELS)[number];
  abstract readonly opsToken: string | undefined;
  abstract readonly metricsToken: string | undefined;
  /** Where people report vulnerabilities; undefined: nowhere is named. */
  abstract readonly securityContact: string | undefined;
  abstract readonly featureFlagAllowlist: readonly string[];
  /** Flags that the environment fixes, by name. */
  abstract readonly featureFlags: ReadonlyMap<string, boolean>;
  abstract readonly trustProxy: TrustProxy;
  /** How many may be open at once in one process, and how many of them from one address. */
  abstract readonly connections: { readonly max: number; readonly maxPerAddress: number };
  abstract readonly pricingUrl: string;
  abstract readonly dashboardUrl: string;
  abstract readonly docsUrl: string;
  /** What usage costs: a file of `deploy/prices.yml`'s kind. */
  abstract readonly pricesFile: string;
  /** Of trusted sources that report usage. Undefined: nobody can. */
  abstract readonly usageToken: string | undefined;
  /** Hosts (`127.0.0.1:8418`) that repositories may also come from, by http too. */
  abstract readonly gitAllowedHosts: readonly string[];
  /** Who writes invoices, in lines; empty: they name nobody. */
  abstract readonly invoiceIssuer: readonly string[];
  /** Undefined: invoices are paid by hand. */
  abstract readonly stripe: StripeConfig | undefined;
  /** Undefined: nobody can connect GitHub here. */
  abstract readonly github: GithubConfig | undefined;
  /** What a repository of this service may take up on disk. */
  abstract readonly repositoryMaxBytes: number;
  abstract readonly builds: BuildsConfig;
  abstract readonly apps: AppsConfig;
  abstract readonly artifacts: ArtifactsConfig;
  /** What a worker deploys at once. */
  abstract readonly deploys: { readonly concurrency: number };
  abstract readonly drainDelayMs: number;
  /** What API keys and other tokens are hashed with, the newest first; empty in a process that checks none. */
  abstract readonly apiKeyPeppers: readonly VersionedSecret[];
  /** What the secrets of projects are sealed with, the newest first; empty in a process that opens none. */
  abstract readonly secretsKeys: readonly VersionedSecret[];
  /** Of the roles `backup` and `restore`. Undefined: backups are not encrypted. */
  abstract readonly backupPassphrase: string | undefined;
  /** The plan of a new organization, for those who run the service for themselves. */
  abstract readonly defaultPlan: (typeof DEFAULT_PLANS)[number];
  /** Without a payment provider: `approved` plans wait for an operator, `free` ones begin at once. */
  abstract readonly planChanges: 'approved' | 'free';
  abstract readonly mail: MailConfig;
  /** Whether an account needs a verified e-mail address to mint keys, deploy and invite. */
  abstract readonly emailVerification: 'required' | 'off';
  abstract readonly anonymousCalls: { readonly perDay: number; readonly perSecond: number };
  abstract readonly sandbox: SandboxConfig;
}

/** What people deploy, and where it is reached: `<scheme>//<label>.<domain><port>`. */
export interface AppsConfig extends AppsUrl {
  /** The port that the role `edge` listens on for them. */
  readonly listenPort: number;
  /** What a server of a deploy unpacks to is below it. */
  readonly directory: string;
  /** How long a server without requests keeps running, and how long it stays in memory. */
  readonly freezeAfterMs: number;
  readonly stopAfterMs: number;
}

/** The account at Stripe that takes the money. */
export interface StripeConfig {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly apiUrl: string;
}

/** The GitHub App of this service. */
export interface GithubConfig {
  readonly appId: string;
  /** In the address of the app. */
  readonly slug: string;
  /** RSA, as PEM. */
  readonly privateKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhookSecret: string;
  /** The account with the templates. */
  readonly templateOwner: string;
  /** Where people, and git, go; without a slash at the end. */
  readonly url: string;
  readonly apiUrl: string;
}

export interface ArtifactsConfig {
  readonly place: ArtifactsPlace;
  /** For S3. Undefined: requests are not signed by a key of ours. */
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken: string | undefined }
    | undefined;
}

export interface MailConfig {
  /** `log`: messages are written to files of the data directory, and the log says where. */
  readonly mailer: 'log' | 'smtp';
  /** With the mailer `smtp`; may hold a user and a password. */
  readonly smtpUrl: string | undefined;
  readonly from: string;
}

export interface BuildsConfig {
  /**
   * Hosts (`npm.internal`, `127.0.0.1:4873`) that builds may reach beside the public package registries, by http too.
   */
  readonly allowedHosts: readonly string[];
  /** Where builds take place and leave their caches. */
  readonly directory: string;
}

export interface SandboxConfig {
  readonly enabled: boolean;
  readonly executionsPerDay: number;
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly concurrency: number;
  readonly cgroups: 'auto' | 'off';
  /** Of everything isolated on this machine together: sandboxes, builds and servers of apps. */
  readonly cpuWeight: number;
  /** Undefined: where it usually is. */
  readonly bubblewrap: string | undefined;
  /** Where interpreters are copied to when the sandbox' user cannot reach them where they are. */
  readonly copiesDirectory: string;
}

/** @throws {Error} naming every bad variable at once and never a value, which may be a secret. */
export function loadConfig(source: NodeJS.ProcessEnv, { isSupervised = false } = {}): Config {
  const environment = plainToInstance(Environment, withoutEmpty(source), { exposeDefaultValues: true });
  const faults = [
    ...validateSync(environment).map((fault) => Object.values(fault.constraints ?? {}).join(', ')),
    ...removedSettings(source),
    ...portsThatClash(environment),
    ...missingServers(environment),
    ...missingSecrets(environment),
    ...missingOfGithub(environment),
    ...missingOfStripe(environment),
  ];
  if (faults.length > 0) throw new Error(`Bad configuration:\n  ${faults.join('\n  ')}`);

  return toConfig(environment, isSupervised);
}

/** Settings of earlier releases, and what took their place. */
const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  APPS_DOMAIN: 'APPS_URL, for example APPS_URL=https://apps.example.com',
};

/** An operator who upgrades must not find a setting silently without effect. */
function removedSettings(source: NodeJS.ProcessEnv): string[] {
  return Object.entries(REMOVED_SETTINGS)
    .filter(([name]) => (source[name] ?? '') !== '')
    .map(([name, successor]) => `${name} was replaced by ${successor}`);
}

/** A hosted page must never share a listener with the API. */
function portsThatClash({ ROLE, PORT, APPS_PORT }: Environment): string[] {
  if (ROLE !== 'all' && ROLE !== 'edge') return [];
  if (APPS_PORT === undefined) return PORT === 65_535 ? ['APPS_PORT must be set where PORT is 65535'] : [];
  return APPS_PORT === PORT && PORT !== 0 ? ['APPS_PORT must be another port than PORT'] : [];
}

/** `NAME=` in a shell or in an env file means the same as leaving it out. */
function withoutEmpty(source: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
}

/** Only role `all` brings servers of its own: several processes must share theirs. */
function missingServers(environment: Environment): string[] {
  // Of the database of our own there can be a backup too.
  if (['all', 'backup', 'restore'].includes(environment.ROLE)) return [];
  const needed =
    environment.ROLE === 'migrate' || environment.ROLE === 'seed' ? ['DATABASE_URL'] : ['DATABASE_URL', 'REDIS_URL'];
  return needed
    .filter((name) => environment[name as keyof Environment] === undefined)
    .map((name) => `${name} must be set for the role ${environment.ROLE}`);
}

/**
 * Who brings a database also keeps its secrets: one that we made up would be lost with this machine, and with it every
 * API key, or every secret of a project. Our own database comes with secrets of its own, in the data directory.
 */
function missingSecrets(environment: Environment): string[] {
  const { ROLE, DATABASE_URL, MAILER, SMTP_URL } = environment;
  const faults: string[] = [];
  for (const name of ['API_KEY_PEPPER', 'SECRETS_KEY'] as const) {
    if (environment[name] !== undefined) continue;
    // A worker makes the tokens that are sent by e-mail.
    if (ROLE === 'api' || ROLE === 'edge' || ROLE === 'worker') faults.push(`${name} must be set for the role ${ROLE}`);
    if (ROLE === 'all' && DATABASE_URL !== undefined) faults.push(`${name} must be set where DATABASE_URL is`);
  }
  if (MAILER === 'smtp' && SMTP_URL === undefined) faults.push('SMTP_URL must be set for MAILER=smtp');
  return faults;
}

/** Without the one nobody could pay, without the other nobody would learn of it. */
function missingOfStripe({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET }: Environment): string[] {
  if ((STRIPE_SECRET_KEY === undefined) === (STRIPE_WEBHOOK_SECRET === undefined)) return [];
  return [
    STRIPE_SECRET_KEY === undefined
      ? 'STRIPE_SECRET_KEY must be set where STRIPE_WEBHOOK_SECRET is'
      : 'STRIPE_WEBHOOK_SECRET must be set where STRIPE_SECRET_KEY is',
  ];
}

function stripeOf({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_URL }: Environment): StripeConfig | undefined {
  if (STRIPE_SECRET_KEY === undefined || STRIPE_WEBHOOK_SECRET === undefined) return undefined;
  return { secretKey: STRIPE_SECRET_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET, apiUrl: withoutSlash(STRIPE_API_URL) };
}

const GITHUB_SETTINGS = [
  'GITHUB_APP_ID',
  'GITHUB_APP_SLUG',
  'GITHUB_APP_PRIVATE_KEY',
  'GITHUB_APP_CLIENT_ID',
  'GITHUB_APP_CLIENT_SECRET',
  'GITHUB_WEBHOOK_SECRET',
  'GITHUB_TEMPLATE_OWNER',
] as const;

/** A part of them would let people begin what they cannot end. */
function missingOfGithub(environment: Environment): string[] {
  const missing = GITHUB_SETTINGS.filter((name) => environment[name] === undefined);
  return missing.length === GITHUB_SETTINGS.length
    ? []
    : missing.map((name) => `${name} must be set where the other settings of the GitHub App are`);
}

function githubOf(environment: Environment): GithubConfig | undefined {
  if (environment.GITHUB_APP_ID === undefined) return undefined;
  return {
    appId: environment.GITHUB_APP_ID,
    slug: environment.GITHUB_APP_SLUG!,
    privateKey: withLineBreaks(environment.GITHUB_APP_PRIVATE_KEY!),
    clientId: environment.GITHUB_APP_CLIENT_ID!,
    clientSecret: environment.GITHUB_APP_CLIENT_SECRET!,
    webhookSecret: environment.GITHUB_WEBHOOK_SECRET!,
    templateOwner: environment.GITHUB_TEMPLATE_OWNER!,
    url: withoutSlash(environment.GITHUB_URL),
    apiUrl: withoutSlash(environment.GITHUB_API_URL),
  };
}

function toConfig(environment: Environment, isSupervised: boolean): Config {
  const publicUrl = withoutSlash(
    environment.PUBLIC_URL ?? `http://${hostForUrl(environment.HOST)}:${environment.PORT}`,
  );
  return {
    role: environment.ROLE,
    port: environment.PORT,
    host: environment.HOST,
    isSupervised,
    publicUrl,
    dataDir: resolve(environment.DATA_DIR),
    storageReserveBytes: environment.STORAGE_RESERVE_MIB * 1_048_576,
    databaseUrl: environment.DATABASE_URL,
    redisUrl: environment.REDIS_URL,
    redisTimeoutMs: environment.REDIS_TIMEOUT_MS,
    logLevel: environment.LOG_LEVEL,
    opsToken: environment.OPS_TOKEN,
    metricsToken: environment.METRICS_TOKEN,
    securityContact: environment.SECURITY_CONTACT,
    featureFlagAllowlist: environment.FEATURE_FLAG_ALLOWLIST.split(',')
      .map((name) => name.trim())
      .filter(Boolean),
    featureFlags: parseFlagSettings(environment.FEATURE_FLAGS)!,
    trustProxy: environment.TRUST_PROXY === undefined ? 0 : parseTrustProxy(environment.TRUST_PROXY)!,
    connections: { max: environment.MAX_CONNECTIONS, maxPerAddress: environment.MAX_CONNECTIONS_PER_ADDRESS },
    pricingUrl: withoutSlash(environment.PRICING_URL ?? `${publicUrl}/docs/plans`),
    dashboardUrl: withoutSlash(environment.DASHBOARD_URL ?? publicUrl),
    docsUrl: withoutSlash(environment.DOCS_URL ?? `${publicUrl}/docs`),
    pricesFile:
      environment.PRICES_FILE === undefined
        ? join(PROJECT_ROOT, 'deploy', 'prices.yml')
        : resolve(environment.PRICES_FILE),
    usageToken: environment.USAGE_TOKEN,
    gitAllowedHosts: parseHosts(environment.GIT_ALLOWED_HOSTS)!,
    github: githubOf(environment),
    invoiceIssuer: environment.INVOICE_ISSUER.split(';')
      .map((line) => line.trim())
      .filter(Boolean),
    stripe: stripeOf(environment),
    repositoryMaxBytes: environment.REPOSITORY_MAX_MIB * 1_048_576,
    builds: {
      allowedHosts: parseHosts(environment.BUILD_ALLOWED_HOSTS)!,
      directory: join(homeOfCopies(environment), 'builds'),
    },
    apps: appsOf(environment),
    artifacts: {
      place: parseArtifactsUrl(environment.ARTIFACTS_URL, join(resolve(environment.DATA_DIR), 'artifacts'))!,
      credentials: credentialsOf(environment),
    },
    deploys: { concurrency: environment.DEPLOY_CONCURRENCY ?? availableParallelism() },
    drainDelayMs: environment.DRAIN_DELAY_MS,
    apiKeyPeppers: secretsOf(environment.API_KEY_PEPPER),
    secretsKeys: secretsOf(environment.SECRETS_KEY),
    backupPassphrase: environment.BACKUP_PASSPHRASE,
    defaultPlan: environment.DEFAULT_PLAN,
    planChanges: environment.PLAN_CHANGES,
    mail: { mailer: environment.MAILER, smtpUrl: environment.SMTP_URL, from: environment.MAIL_FROM },
    emailVerification: environment.EMAIL_VERIFICATION ?? (environment.MAILER === 'smtp' ? 'required' : 'off'),
    anonymousCalls: { perDay: environment.ANONYMOUS_CALLS_PER_DAY, perSecond: environment.ANONYMOUS_CALLS_PER_SECOND },
    sandbox: {
      enabled: environment.SANDBOX_ENABLED,
      executionsPerDay: environment.SANDBOX_EXECUTIONS_PER_DAY,
      timeoutMs: environment.SANDBOX_TIMEOUT_MS,
      memoryBytes: environment.SANDBOX_MEMORY_MIB * 1_048_576,
      concurrency: environment.SANDBOX_CONCURRENCY ?? availableParallelism(),
      cgroups: environment.SANDBOX_CGROUPS,
      cpuWeight: environment.SANDBOX_CPU_WEIGHT,
      bubblewrap: environment.SANDBOX_BUBBLEWRAP,
      copiesDirectory: join(homeOfCopies(environment), 'sandbox'),
    },
  };
}

function appsOf(environment: Environment): AppsConfig {
  const { PORT, APPS_PORT, APPS_URL } = environment;
  const listenPort = APPS_PORT ?? (PORT === 0 ? 0 : PORT + 1);
  return {
    ...parseAppsUrl(APPS_URL ?? `http://localhost:${listenPort}`)!,
    listenPort,
    directory: join(homeOfCopies(environment), 'apps', placeNameOf(environment)),
    freezeAfterMs: environment.APP_FREEZE_AFTER_MS,
    stopAfterMs: environment.APP_STOP_AFTER_MS,
  };
}

/** Services on one machine do not know of each other, and each removes what it does not know. */
const placeNameOf = ({ DATA_DIR }: Environment): string =>
  createHash('sha256').update(resolve(DATA_DIR)).digest('hex').slice(0, 12);

function credentialsOf({
  AWS_ACCESS_KEY_ID,
  AWS_SECRET_ACCESS_KEY,
  AWS_SESSION_TOKEN,
}: Environment): ArtifactsConfig['credentials'] {
  if (AWS_ACCESS_KEY_ID === undefined || AWS_SECRET_ACCESS_KEY === undefined) return undefined;
  return { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY, sessionToken: AWS_SESSION_TOKEN };
}

const secretsOf = (text: string | undefined): readonly VersionedSecret[] =>
  text === undefined ? [] : parseVersionedSecrets(text)!;

/** As root sandboxes have users of their own, who may not reach into a private data directory. */
const homeOfCopies = (environment: Environment): string =>
  process.getuid?.() === 0 ? '/var/lib/service-platform' : resolve(environment.DATA_DIR);

const withoutSlash = (url: string): string => trimEnd(url, '/');

/** An address that stands for "every interface" is not one that a caller can open. */
function hostForUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
