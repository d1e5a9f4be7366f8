import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  BLOBS_URL_RULE,
  type BlobsAddress,
  type BlobsPlace,
  parseBlobsUrl,
  placeOf,
} from '../../platform/blobs/blobs-url.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import {
  BooleanSetting,
  ChoiceSetting,
  IntegerSetting,
  ParsedSetting,
  TextSetting,
} from '../../platform/config/setting.js';
import { usableMemoryBytes } from '../../platform/config/usable-memory.js';
import { PACKAGE_SETS, type PackageSetName } from './domain/packages.js';
import type { IsolationSettings } from '../../platform/isolation/isolation-settings.js';

const MAX_SESSIONS = 1_000;

function parseSets(text: string): readonly PackageSetName[] | undefined {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const known = PACKAGE_SETS.filter((name) => names.includes(name));
  return known.length === new Set(names).size ? known : undefined;
}

/** The limits of runs, and the isolation of all code of tenants, which includes builds and app servers. */
export class SandboxSettings extends ModuleSettings implements IsolationSettings {
  @BooleanSetting({ name: 'SANDBOX_ENABLED', summary: 'Set to `false` to run no code in this worker.' })
  readonly enabled: boolean = true;

  @IntegerSetting({
    name: 'SANDBOX_EXECUTIONS_PER_DAY',
    summary: 'Runs per UTC day for each IP address without an account.',
    unit: 'runs',
    min: 1,
  })
  readonly executionsPerDay: number = 10;

  @IntegerSetting({ name: 'SANDBOX_TIMEOUT_MS', summary: 'Time limit of a run.', unit: 'ms', min: 100, max: 30_000 })
  readonly timeoutMs: number = 30_000;

  @IntegerSetting({ name: 'SANDBOX_MEMORY_MIB', summary: 'Memory limit of a run.', unit: 'MiB', min: 64, max: 4_096 })
  private readonly memoryMib: number = 256;

  @IntegerSetting({
    name: 'SANDBOX_CONCURRENCY',
    summary: 'Concurrent runs in one worker.',
    unset: 'one per processor',
    unit: 'runs',
    example: '4',
    min: 1,
    max: 64,
  })
  private readonly givenConcurrency?: number;

  @IntegerSetting({
    name: 'SANDBOX_SESSIONS',
    summary: 'Sessions that one worker can hold, frozen ones included.',
    unset:
      'as many as `SANDBOX_SESSIONS_MEMORY_MIB` holds with `SANDBOX_MEMORY_MIB` each, at least four times ' +
      '`SANDBOX_CONCURRENCY`',
    unit: 'sessions',
    example: '16',
    min: 0,
    max: MAX_SESSIONS,
  })
  private readonly givenSessions?: number;

  @IntegerSetting({
    name: 'SANDBOX_SESSIONS_MEMORY_MIB',
    summary: 'Memory limits of all sessions of one worker together.',
    unset: 'half of the memory of the machine',
    unit: 'MiB',
    example: '8192',
    min: 64,
  })
  private readonly givenSessionsMemoryMib?: number;

  @IntegerSetting({
    name: 'SANDBOX_SESSIONS_SHARE_PERCENT',
    summary:
      'Share of the sessions of a worker, and of their memory, that one organization can have while no other has ' +
      'any. Each has at least one. `100` leaves nothing to others: for an installation of one organization.',
    unit: '%',
    min: 1,
    max: 100,
  })
  readonly sessionsSharePercent: number = 50;

  @ChoiceSetting({
    name: 'SANDBOX_CGROUPS',
    summary: 'Set to `off` to limit runs without cgroups, even where cgroups are available.',
    values: ['auto', 'off'],
  })
  readonly cgroups: 'auto' | 'off' = 'auto';

  @ChoiceSetting({
    name: 'SANDBOX_FORK_SERVER',
    summary:
      'Set to `off` to start every sandbox by itself. `auto` forks Python from a template, which is faster; its ' +
      'forks share its hash seed and the addresses of what it loaded.',
    values: ['auto', 'off'],
  })
  readonly forkServer: 'auto' | 'off' = 'auto';

  @IntegerSetting({
    name: 'SANDBOX_CPU_WEIGHT',
    summary:
      'CPU share of all work of tenants together (sandboxes, builds, apps) while processors are contended; 100 ' +
      'equals one busy process of the service. Needs cgroups; without them, `nice` is used.',
    min: 1,
    max: 10_000,
  })
  readonly cpuWeight: number = 10;

  @TextSetting({
    name: 'SANDBOX_BUBBLEWRAP',
    summary: 'Path of `bwrap`, if it is not in a usual place.',
    example: '/usr/bin/bwrap',
  })
  readonly bubblewrap: string | undefined = undefined;

  @ParsedSetting({
    name: 'SANDBOX_PACKAGE_SETS',
    summary:
      'Comma-separated sets of packages that each worker installs when it starts. Others are installed when an ' +
      'execution first names them.',
    example: 'python-data,node-common',
    parse: parseSets,
    rule: `must be names of sets (${PACKAGE_SETS.join(', ')}), with commas between`,
  })
  readonly packageSets: readonly PackageSetName[] = [];

  @IntegerSetting({
    name: 'SANDBOX_PACKAGES_MIB',
    summary: 'Disk for installed packages of executions. Those unused for longest are removed for others.',
    unit: 'MiB',
    min: 256,
    max: 1_048_576,
  })
  private readonly packagesMib: number = 4_096;

  get packagesBytes(): number {
    return this.packagesMib * 1_048_576;
  }

  @ParsedSetting({
    name: 'SANDBOX_ARTIFACTS_URL',
    summary:
      'Storage for the files of executions, which are kept for a day: `file:` is a directory in `DATA_DIR`, ' +
      '`file:///path` another directory, and `s3://bucket/prefix?endpoint=https://…&region=…` a bucket, which is ' +
      'required for several machines.',
    unset: '`file:`',
    example: 'file:',
    parse: parseBlobsUrl,
    rule: BLOBS_URL_RULE,
  })
  private readonly artifactsAddress: BlobsAddress = { kind: 'file', directory: undefined };

  get artifactsPlace(): BlobsPlace {
    return placeOf(this.artifactsAddress, join(this.config.dataDir, 'sandbox-artifacts'));
  }

  get memoryBytes(): number {
    return this.memoryMib * 1_048_576;
  }

  get concurrency(): number {
    return this.givenConcurrency ?? availableParallelism();
  }

  /** For the sockets of the network of runs. */
  get egressDirectory(): string {
    return join(this.config.isolatedHome, 'sandbox-egress');
  }

  /** A frozen session needs nothing but memory, so memory is what usually limits them. */
  get sessions(): number {
    if (this.givenSessions !== undefined) return this.givenSessions;
    const inMemory = Math.floor(this.sessionsMemoryBytes / this.memoryBytes);
    return Math.min(MAX_SESSIONS, Math.max(4 * this.concurrency, inMemory));
  }

  get sessionsMemoryBytes(): number {
    return this.givenSessionsMemoryMib === undefined
      ? usableMemoryBytes() / 2
      : this.givenSessionsMemoryMib * 1_048_576;
  }

  get copiesDirectory(): string {
    return join(this.config.isolatedHome, 'sandbox');
  }
}
