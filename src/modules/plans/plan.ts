/** The plans, from the smallest to the largest (service document §8). */
export const PLAN_IDS = ['free', 'builder', 'pro', 'enterprise'] as const;
export type PlanId = (typeof PLAN_IDS)[number];

export type PlanFeature = 'production_deploys' | 'open_build_network' | 'swarms_and_cron' | 'sso' | 'wildcard_domains';
type SupportTier = 'community' | 'email' | 'priority' | 'dedicated';

export interface Plan {
  readonly id: PlanId;
  readonly name: string;
  /** The price is null when it is agreed on with each customer. */
  readonly priceUsdPerMonth: number | null;
  /** A limit of null means unlimited. */
  readonly limits: {
    readonly callsPerDay: number | null;
    readonly agents: number | null;
    readonly projects: number | null;
  };
  /** The credit in nano-dollars that a user gets once with the plan. It pays for all metered usage. */
  readonly creditNano: bigint;
  /** True when usage beyond the credits is billed. Otherwise usage stops when the credits are used up. */
  readonly billsUsage: boolean;
  /** Calls per second. A burst can have twice as many. */
  readonly callsPerSecond: number;
  readonly features: Readonly<Record<PlanFeature, boolean>>;
  readonly support: SupportTier;
  /**
   * Limits of one sandbox execution with a key, the size of its artifacts, how many can run at once, and the sessions:
   * how many an organization can have, and how many minutes each lasts at most.
   */
  readonly sandbox: {
    readonly timeoutMs: number;
    readonly memoryMib: number;
    readonly artifactMib: number;
    /** True when executions may connect to hosts that they name. */
    readonly network: boolean;
    readonly concurrency: number;
    readonly sessions: { readonly count: number; readonly minutes: number };
  };
  /** Tokens of models that calls can use in a minute, and how many calls of models can run at once. */
  readonly ai: { readonly tokensPerMinute: number; readonly concurrency: number };
  /** Runs of agents that can run at once, and those that can be queued, running or waiting. */
  readonly agentRuns: { readonly concurrency: number; readonly active: number };
  /** Repositories that the service hosts for an organization. Each takes a directory, even when it is empty. */
  readonly repositories: number;
  /**
   * PostgreSQL databases: how many, the limits of each, and how far back one can be restored. `gigabytes` counts what
   * is stored beyond the size of an empty database.
   */
  readonly databases: {
    readonly count: number;
    readonly gigabytes: number;
    readonly connections: number;
    readonly memoryMib: number;
    readonly restoreDays: number;
  };
  /** Object storage: the size of all buckets together, how many there are, and the size of one object. */
  readonly storage: { readonly gigabytes: number; readonly buckets: number; readonly objectGigabytes: number };
  /** Schedules that start runs of agents. */
  readonly schedules: number;
  /**
   * Limits of one build, how many deploys of the organization can run at once, and the total size of the files of all
   * its deploys (`storedMib`).
   */
  readonly deploys: {
    readonly concurrency: number;
    readonly buildMs: number;
    readonly memoryMib: number;
    readonly diskMib: number;
    readonly storedMib: number;
  };
  /**
   * How many servers of deploys can run at once on one machine, sleeping ones included, and the limits of each: memory,
   * the weight while processors are contended (100 is the default), the share of one processor in percent, and where
   * it may connect to: `public` means the internet, and `listed` what the operator has listed.
   */
  readonly apps: {
    readonly servers: number;
    readonly memoryMib: number;
    readonly cpuWeight: number;
    readonly cpuMaxPercent: number;
    readonly network: 'public' | 'listed';
  };
}

const MINUTE_MS = 60_000;

/**
 * The only place that defines the numbers of plans (service document §8). API limits, feature checks, prices and their
 * pages read them from here.
 */
export const PLANS: Readonly<Record<PlanId, Plan>> = {
  free: {
    id: 'free',
    name: 'Free',
    priceUsdPerMonth: 0,
    limits: { callsPerDay: 5_000, agents: 1, projects: 3 },
    creditNano: 5_000_000_000n,
    billsUsage: false,
    callsPerSecond: 20,
    features: {
      production_deploys: false,
      open_build_network: false,
      swarms_and_cron: false,
      sso: false,
      wildcard_domains: false,
    },
    support: 'community',
    sandbox: {
      timeoutMs: 30_000,
      memoryMib: 256,
      artifactMib: 20,
      network: false,
      concurrency: 2,
      sessions: { count: 1, minutes: 30 },
    },
    ai: { tokensPerMinute: 40_000, concurrency: 4 },
    agentRuns: { concurrency: 2, active: 100 },
    repositories: 10,
    databases: { count: 2, gigabytes: 1, connections: 20, memoryMib: 256, restoreDays: 1 },
    storage: { gigabytes: 1, buckets: 10, objectGigabytes: 1 },
    schedules: 0,
    deploys: { concurrency: 1, buildMs: 10 * MINUTE_MS, memoryMib: 2_048, diskMib: 4_096, storedMib: 1_024 },
    apps: { servers: 3, memoryMib: 512, cpuWeight: 50, cpuMaxPercent: 100, network: 'listed' },
  },
  builder: {
    id: 'builder',
    name: 'Builder',
    priceUsdPerMonth: 49,
    limits: { callsPerDay: 100_000, agents: 10, projects: 25 },
    creditNano: 0n,
    billsUsage: true,
    callsPerSecond: 100,
    features: {
      production_deploys: true,
      open_build_network: true,
      swarms_and_cron: true,
      sso: false,
      wildcard_domains: false,
    },
    support: 'email',
    sandbox: {
      timeoutMs: 60_000,
      memoryMib: 512,
      artifactMib: 100,
      network: true,
      concurrency: 8,
      sessions: { count: 5, minutes: 4 * 60 },
    },
    ai: { tokensPerMinute: 400_000, concurrency: 32 },
    agentRuns: { concurrency: 10, active: 1_000 },
    repositories: 100,
    databases: { count: 25, gigabytes: 10, connections: 50, memoryMib: 512, restoreDays: 7 },
    storage: { gigabytes: 100, buckets: 100, objectGigabytes: 50 },
    schedules: 100,
    deploys: { concurrency: 3, buildMs: 30 * MINUTE_MS, memoryMib: 4_096, diskMib: 8_192, storedMib: 20_480 },
    apps: { servers: 8, memoryMib: 512, cpuWeight: 100, cpuMaxPercent: 200, network: 'public' },
  },
  pro: {
    id: 'pro',
    name: 'Pro',
    priceUsdPerMonth: 299,
    limits: { callsPerDay: null, agents: null, projects: null },
    creditNano: 0n,
    billsUsage: true,
    callsPerSecond: 500,
    features: {
      production_deploys: true,
      open_build_network: true,
      swarms_and_cron: true,
      sso: false,
      wildcard_domains: false,
    },
    support: 'priority',
    sandbox: {
      timeoutMs: 120_000,
      memoryMib: 1_024,
      artifactMib: 100,
      network: true,
      concurrency: 32,
      sessions: { count: 20, minutes: 12 * 60 },
    },
    ai: { tokensPerMinute: 4_000_000, concurrency: 128 },
    agentRuns: { concurrency: 50, active: 20_000 },
    repositories: 1_000,
    databases: { count: 200, gigabytes: 100, connections: 100, memoryMib: 1_024, restoreDays: 14 },
    storage: { gigabytes: 1_000, buckets: 1_000, objectGigabytes: 500 },
    schedules: 1_000,
    deploys: { concurrency: 12, buildMs: 45 * MINUTE_MS, memoryMib: 8_192, diskMib: 16_384, storedMib: 204_800 },
    apps: { servers: 16, memoryMib: 1_024, cpuWeight: 200, cpuMaxPercent: 400, network: 'public' },
  },
  enterprise: {
    id: 'enterprise',
    name: 'Enterprise',
    priceUsdPerMonth: null,
    limits: { callsPerDay: null, agents: null, projects: null },
    creditNano: 0n,
    billsUsage: true,
    callsPerSecond: 1_000,
    features: {
      production_deploys: true,
      open_build_network: true,
      swarms_and_cron: true,
      sso: true,
      wildcard_domains: true,
    },
    support: 'dedicated',
    sandbox: {
      timeoutMs: 300_000,
      memoryMib: 2_048,
      artifactMib: 100,
      network: true,
      concurrency: 64,
      sessions: { count: 100, minutes: 24 * 60 },
    },
    ai: { tokensPerMinute: 20_000_000, concurrency: 256 },
    agentRuns: { concurrency: 200, active: 100_000 },
    repositories: 10_000,
    databases: { count: 2_000, gigabytes: 1_000, connections: 200, memoryMib: 2_048, restoreDays: 30 },
    storage: { gigabytes: 10_000, buckets: 1_000, objectGigabytes: 5_000 },
    schedules: 10_000,
    deploys: { concurrency: 12, buildMs: 45 * MINUTE_MS, memoryMib: 8_192, diskMib: 16_384, storedMib: 2_097_152 },
    apps: { servers: 24, memoryMib: 2_048, cpuWeight: 400, cpuMaxPercent: 800, network: 'public' },
  },
};

/** The total size that the files of all deploys of an organization can have. */
export const storedBytesOf = ({ deploys }: Plan): number => deploys.storedMib * 1_048_576;
