import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Environment, type LOG_LEVELS, type ROLES } from './environment.js';
import { parseTrustProxy, type TrustProxy } from './trust-proxy.js';

export type Role = (typeof ROLES)[number];

/** The settings of one process, checked. Made once in `main.ts` and injected everywhere else. */
export abstract class Config {
  abstract readonly role: Role;
  abstract readonly port: number;
  abstract readonly host: string;
  /** Where callers reach the API, without a slash at the end. With `PORT=0` it must be set for links to lead anywhere. */
  abstract readonly publicUrl: string;
  abstract readonly dataDir: string;
  /** Undefined: the process starts a server of its own (role `all` only). */
  abstract readonly databaseUrl: string | undefined;
  abstract readonly redisUrl: string | undefined;
  abstract readonly logLevel: (typeof LOG_LEVELS)[number];
  abstract readonly opsToken: string | undefined;
  abstract readonly metricsToken: string | undefined;
  abstract readonly featureFlagAllowlist: readonly string[];
  abstract readonly trustProxy: TrustProxy;
  abstract readonly pricingUrl: string;
  abstract readonly dashboardUrl: string;
  abstract readonly docsUrl: string;
  abstract readonly drainDelayMs: number;
  abstract readonly anonymousCalls: { readonly perDay: number; readonly perSecond: number };
  abstract readonly sandbox: SandboxConfig;
}

export interface SandboxConfig {
  readonly enabled: boolean;
  readonly executionsPerDay: number;
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly concurrency: number;
  readonly cgroups: 'auto' | 'off';
  /** Undefined: where it usually is. */
  readonly bubblewrap: string | undefined;
  /** Where interpreters are copied to when the sandbox' user cannot reach them where they are. */
  readonly copiesDirectory: string;
}

/** @throws {Error} naming every bad variable at once and never a value, which may be a secret. */
export function loadConfig(source: NodeJS.ProcessEnv): Config {
  const environment = plainToInstance(Environment, withoutEmpty(source), { exposeDefaultValues: true });
  const faults = [
    ...validateSync(environment).map((fault) => Object.values(fault.constraints ?? {}).join(', ')),
    ...missingServers(environment),
  ];
  if (faults.length > 0) throw new Error(`Bad configuration:\n  ${faults.join('\n  ')}`);

  return toConfig(environment);
}

/** `NAME=` in a shell or in an env file means the same as leaving it out. */
function withoutEmpty(source: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
}

/** Only role `all` brings servers of its own: several processes must share theirs. */
function missingServers(environment: Environment): string[] {
  if (environment.ROLE === 'all') return [];
  const needed = environment.ROLE === 'migrate' || environment.ROLE === 'seed' ? ['DATABASE_URL'] : ['DATABASE_URL', 'REDIS_URL'];
  return needed
    .filter((name) => environment[name as keyof Environment] === undefined)
    .map((name) => `${name} must be set for the role ${environment.ROLE}`);
}

function toConfig(environment: Environment): Config {
  const publicUrl = withoutSlash(environment.PUBLIC_URL ?? `http://${hostForUrl(environment.HOST)}:${environment.PORT}`);
  return {
    role: environment.ROLE,
    port: environment.PORT,
    host: environment.HOST,
    publicUrl,
    dataDir: resolve(environment.DATA_DIR),
    databaseUrl: environment.DATABASE_URL,
    redisUrl: environment.REDIS_URL,
    logLevel: environment.LOG_LEVEL,
    opsToken: environment.OPS_TOKEN,
    metricsToken: environment.METRICS_TOKEN,
    featureFlagAllowlist: environment.FEATURE_FLAG_ALLOWLIST.split(',').map((name) => name.trim()).filter(Boolean),
    trustProxy: environment.TRUST_PROXY === undefined ? 0 : parseTrustProxy(environment.TRUST_PROXY)!,
    pricingUrl: withoutSlash(environment.PRICING_URL ?? `${publicUrl}/docs/plans`),
    dashboardUrl: withoutSlash(environment.DASHBOARD_URL ?? publicUrl),
    docsUrl: withoutSlash(environment.DOCS_URL ?? `${publicUrl}/docs`),
    drainDelayMs: environment.DRAIN_DELAY_MS,
    anonymousCalls: { perDay: environment.ANONYMOUS_CALLS_PER_DAY, perSecond: environment.ANONYMOUS_CALLS_PER_SECOND },
    sandbox: {
      enabled: environment.SANDBOX_ENABLED,
      executionsPerDay: environment.SANDBOX_EXECUTIONS_PER_DAY,
      timeoutMs: environment.SANDBOX_TIMEOUT_MS,
      memoryBytes: environment.SANDBOX_MEMORY_MIB * 1_048_576,
      concurrency: environment.SANDBOX_CONCURRENCY ?? availableParallelism(),
      cgroups: environment.SANDBOX_CGROUPS,
      bubblewrap: environment.SANDBOX_BUBBLEWRAP,
      copiesDirectory: join(homeOfCopies(environment), 'sandbox'),
    },
  };
}

/** As root the sandbox has a user of its own, who may not reach into a private data directory. */
const homeOfCopies = (environment: Environment): string =>
  process.getuid?.() === 0 ? '/var/lib/service-platform' : resolve(environment.DATA_DIR);

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** An address that stands for "every interface" is not one that a caller can open. */
function hostForUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
