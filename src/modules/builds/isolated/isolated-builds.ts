import { type Isolation } from '../../../platform/isolation/isolation.js';
import { type Clock } from '../../../platform/time/clock.js';
import { BuildFailed } from '../build-failed.js';
import { type BuildLimits, type BuildObserver, type BuildRequest, type BuildSource } from '../build-request.js';
import { type Built } from '../built.js';
import { BuildsService, type ResolvedCommit } from '../builds.service.js';
import { planOf } from '../plan/build-plan.js';
import { type Inspection, parseInspection } from '../plan/inspection.js';
import { type BuildPlan, SOURCE } from '../plan/plan-types.js';
import { GitSource } from '../source/git-source.js';
import { BuildCaches } from '../workspace/build-caches.js';
import { BuildDirectories } from '../workspace/build-directories.js';
import { BuildSession, type Step } from '../workspace/build-session.js';
import { Toolchain } from '../workspace/toolchain.js';
import { CollectedBuild, packed } from './collected-build.js';

const MEBIBYTE = 1024 * 1024;
const RESOLVE_LIMITS: BuildLimits = { wallMs: 60_000, cpuMs: 60_000, memoryBytes: 512 * MEBIBYTE, tasks: 64, diskBytes: 512 * MEBIBYTE };
/** Node does not see the bound on its memory from inside; what it knows of it, it keeps to. */
const HEAP_SHARE = 0.75;
const ID = /^[a-z0-9_-]{1,100}$/;

/** Package registries, and what frameworks fetch fonts from while they build. */
const REGISTRIES = ['registry.npmjs.org', 'registry.yarnpkg.com', 'npm.jsr.io', 'fonts.googleapis.com', 'fonts.gstatic.com'];

export interface IsolatedBuildsOptions {
  readonly isolation: Isolation;
  /** Of the host, for builds alone. */
  readonly directory: string;
  /** Hosts that builds may also reach: `npm.internal`, `127.0.0.1:4873`. */
  readonly allowedHosts: readonly string[];
  /** Hosts that repositories may also come from. */
  readonly gitHosts: readonly string[];
  readonly clock: Clock;
}

let resolved = 0;

/** Builds on this machine, in isolation: the host makes directories and starts programs, and never looks into what they make. */
export class IsolatedBuilds extends BuildsService {
  private readonly directories: BuildDirectories;
  private readonly toolchain: Toolchain;
  private readonly source: GitSource;
  private readonly caches: BuildCaches;

  constructor(private readonly options: IsolatedBuildsOptions) {
    super();
    this.directories = new BuildDirectories(options.directory);
    this.toolchain = new Toolchain(options.isolation, this.directories);
    this.source = new GitSource({ toolchain: this.toolchain, allowedHosts: options.gitHosts });
    this.caches = new BuildCaches(this.directories, options.clock);
  }

  /** Removes what builds of processes that were killed have left, and caches that nobody uses any more. */
  async sweep(): Promise<void> {
    await this.directories.sweep();
    await this.caches.sweep();
  }

  async resolve(source: BuildSource, signal: AbortSignal): Promise<ResolvedCommit> {
    const session = await this.open({ id: `resolve-${++resolved}`, limits: RESOLVE_LIMITS, signal, line: () => undefined });
    try {
      return await this.source.resolve(session, source);
    } finally {
      await session.close();
    }
  }

  async build(request: BuildRequest, observer: BuildObserver, signal: AbortSignal): Promise<Built> {
    if (!ID.test(request.id) || !ID.test(request.projectId)) throw new Error('A build is named by lower-case letters, digits, - and _.');
    const session = await this.open({ id: request.id, limits: request.limits, signal, line: (stream, text) => { observer.line(stream, text); } });
    try {
      observer.phase('fetch');
      await this.source.fetch(session, request.source, { sha: request.commitSha, branch: request.branch });
      const inspection = await this.inspect(session, request);
      const plan = planOf(request.settings, inspection);
      session.say(`Framework: ${plan.framework}${plan.nodeVersion === null ? '' : `, Node ${plan.nodeVersion}`}`);
      const cached = await this.caches.find(request, plan);
      await this.install({ session, request, plan, observer, modules: cached.modules });
      await this.runBuild({ session, request, plan, observer, framework: cached.framework });
      observer.phase('collect');
      const collected = await packed({ session, toolchain: this.toolchain, plan, inspection });
      return new CollectedBuild({ session, plan, collected, keep: () => this.caches.keep(session, request, plan) });
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  private open(parts: Pick<Parameters<typeof BuildSession.open>[0], 'id' | 'limits' | 'signal' | 'line'>): Promise<BuildSession> {
    return BuildSession.open({ ...parts, isolation: this.options.isolation, directories: this.directories, toolchain: this.toolchain });
  }

  private async inspect(session: BuildSession, { settings }: BuildRequest): Promise<Inspection> {
    const { exitStatus, stdout } = await session.run({
      command: ['/opt/node/bin/node', '/opt/inside/inspect.cjs', SOURCE, settings.rootDirectory ?? ''],
      mounts: [...(await this.toolchain.ownNode()), await this.toolchain.ownProgram('inspect.cjs')],
      output: 'text',
      readOnly: true,
    });
    if (exitStatus !== 0) throw new BuildFailed('isolation_unavailable', 'The source could not be read.');
    const inspection = parseInspection(stdout);
    if (!inspection.found) throw new BuildFailed('root_directory_not_found', `The repository has no directory ${settings.rootDirectory ?? ''}.`);
    return inspection;
  }

  private async install({ session, request, plan, observer, modules }: Doing & { modules: Awaited<ReturnType<BuildCaches['find']>>['modules'] }): Promise<void> {
    if (plan.install === null) return;
    observer.phase('install');
    const { command, directory } = plan.install;
    if (modules !== null) {
      const copy = await session.run({ command: ['/usr/bin/cp', '-a', '/cache/modules/node_modules', directory], mounts: [modules], output: 'text' });
      if (copy.exitStatus === 0) {
        session.say('Packages: as installed before, from the cache.');
        return;
      }
      session.say('Packages: the cache could not be used.');
      await session.run({ command: ['/usr/bin/rm', '-rf', 'node_modules'], directory, output: 'text' });
    }
    session.say(`$ ${command}`);
    const { exitStatus } = await session.run(await this.stepOf(request, plan, { command, directory, environment: {} }));
    if (exitStatus !== 0) throw new BuildFailed('install_failed', `The packages could not be installed: ${command} ended with ${exitStatus ?? 'a signal'}.`);
  }

  private async runBuild({ session, request, plan, observer, framework }: Doing & { framework: Awaited<ReturnType<BuildCaches['find']>>['framework'] }): Promise<void> {
    if (plan.build === null) return;
    observer.phase('build');
    if (framework !== null) {
      // Whatever is wrong with it, a build goes on without.
      await session.run({ command: ['/usr/bin/cp', '-a', '/cache/framework/.', plan.root], mounts: [framework], output: 'text' });
    }
    session.say(`$ ${plan.build}`);
    const environment = { NODE_ENV: 'production', ...(plan.framework === 'nextjs' ? { NEXT_PRIVATE_STANDALONE: 'true' } : {}) };
    const { exitStatus } = await session.run(await this.stepOf(request, plan, { command: plan.build, directory: plan.root, environment }));
    if (exitStatus !== 0) throw new BuildFailed('build_failed', `The build failed: ${plan.build} ended with ${exitStatus ?? 'a signal'}.`);
  }

  /** A command of the user's, in the user's environment. */
  private async stepOf(request: BuildRequest, plan: BuildPlan, { command, directory, environment }: { command: string; directory: string; environment: Record<string, string> }): Promise<Step> {
    return {
      command: ['/usr/bin/sh', '-c', command],
      directory,
      mounts: [...(await this.toolchain.node(plan.nodeVersion ?? '24')), ...(await this.toolchain.npmPackage())],
      environment: {
        CI: '1', NEXT_TELEMETRY_DISABLED: '1', EXPO_NO_TELEMETRY: '1', ASTRO_TELEMETRY_DISABLED: '1',
        npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false', npm_config_progress: 'false', npm_config_cache: '/home/build/.npm',
        NODE_OPTIONS: `--max-old-space-size=${Math.floor((request.limits.memoryBytes / MEBIBYTE) * HEAP_SHARE)}`,
        ...plan.environment,
        ...environment,
        ...request.environment,
      },
      egress: { hosts: REGISTRIES, trusted: this.options.allowedHosts },
      untrustedCode: true,
      output: 'log',
    };
  }
}

interface Doing {
  readonly session: BuildSession;
  readonly request: BuildRequest;
  readonly plan: BuildPlan;
  readonly observer: BuildObserver;
}
