import { dirname } from 'node:path';

import { type Mount } from '../../../platform/isolation/isolation-spec.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { type NodePrograms } from '../../../platform/node-programs/node-programs.js';
import { type Clock } from '../../../platform/time/clock.js';
import { BuildFailed } from '../build-failed.js';
import { type BuildObserver, type BuildRequest } from '../build-request.js';
import { type Built } from '../built.js';
import { BuildsService, type FetchedSource } from '../builds.service.js';
import { ImageBuilds } from '../images/image-builds.js';
import { adapterScript } from '../plan/adapter-script.js';
import { planOf } from '../plan/build-plan.js';
import { installWithConflicts, installWithout, packageToLeaveOut } from '../plan/install-again.js';
import { buildFailure, installFailure } from '../plan/install-failure.js';
import { type BuildPlan } from '../plan/plan-types.js';
import { rootDirectoryNotFound } from '../plan/root-directory.js';
import { FRAMEWORK_CACHE, FRAMEWORK_COPY, GitSource } from '../source/git-source.js';
import { type Preparation, type SourceProgram } from '../source/source-program.js';
import { packInputOf } from '../collect/pack-input.js';
import { BuildCaches } from '../workspace/build-caches.js';
import { BuildDirectories } from '../workspace/build-directories.js';
import { BuildSession, type Step } from '../workspace/build-session.js';
import { cleanText } from '../workspace/clean-text.js';
import { BuildDisks, type DiskMode } from '../workspace/disk/build-disks.js';
import { PackageManagers } from '../workspace/package-managers.js';
import { Toolchain } from '../workspace/toolchain.js';
import { collected, CollectedBuild, packed } from './collected-build.js';

const MEBIBYTE = 1024 * 1024;
/** Node cannot see its memory limit from inside of the sandbox, so its heap gets this share of the limit. */
const HEAP_SHARE = 0.75;
const ID = /^[a-z0-9_-]{1,100}$/;

/** Package registries, and the hosts of fonts and programs that frameworks fetch during a build. */
const REGISTRIES = [
  'registry.npmjs.org',
  'registry.yarnpkg.com',
  'npm.jsr.io',
  'pypi.org',
  'files.pythonhosted.org',
  // Programs of Prisma, which its generator needs and the registry does not have.
  'binaries.prisma.sh',
  'fonts.googleapis.com',
  'fonts.gstatic.com',
];

/** Packages for tests would download browsers when they are installed, from hosts that builds cannot reach. */
const WITHOUT_DOWNLOADS = {
  CYPRESS_INSTALL_BINARY: '0',
  PUPPETEER_SKIP_DOWNLOAD: 'true',
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  ELECTRON_SKIP_BINARY_DOWNLOAD: '1',
  CHROMEDRIVER_SKIP_DOWNLOAD: 'true',
  GECKODRIVER_SKIP_DOWNLOAD: '1',
};

export interface IsolatedBuildsOptions {
  readonly isolation: Isolation;
  readonly nodes: NodePrograms;
  /** A directory of the host that only builds use. */
  readonly directory: string;
  /** Hosts that builds may also reach: `npm.internal`, `127.0.0.1:4873`. */
  readonly allowedHosts: readonly string[];
  /** Hosts that repositories may also come from. */
  readonly gitHosts: readonly string[];
  readonly clock: Clock;
  /** Hosts that base images of Dockerfiles come from, and the operator's mirror of Docker Hub. */
  readonly imageHosts?: readonly string[];
  readonly imageMirror?: string;
  /** The address of the registry that package managers come from. The default is npm's. */
  readonly registry?: string;
  /** `counted` uses plain directories even if each build could have a file system of its own. */
  readonly disks?: 'auto' | 'counted';
}

/**
 * Builds on this machine in isolation. The host creates directories and starts programs, and never reads their output
 * from the disk.
 */
export class IsolatedBuilds extends BuildsService {
  private readonly directories: BuildDirectories;
  private readonly disks: BuildDisks;
  private readonly toolchain: Toolchain;
  private readonly source: GitSource;
  private readonly caches: BuildCaches;
  private readonly packageManagers: PackageManagers;
  private readonly images: ImageBuilds;

  constructor(private readonly options: IsolatedBuildsOptions) {
    super();
    this.directories = new BuildDirectories(options.directory);
    this.disks = new BuildDisks(this.directories, options.disks ?? 'auto');
    this.toolchain = new Toolchain(options.isolation, this.directories, options.nodes);
    this.source = new GitSource({ toolchain: this.toolchain, allowedHosts: options.gitHosts });
    this.caches = new BuildCaches(this.directories, options.clock);
    this.packageManagers = new PackageManagers({
      directories: this.directories,
      toolchain: this.toolchain,
      clock: options.clock,
      trusted: options.allowedHosts,
      ...(options.registry === undefined ? {} : { registry: options.registry }),
    });
    this.images = new ImageBuilds({
      isolation: options.isolation,
      toolchain: this.toolchain,
      registries: {
        hosts: options.imageHosts ?? [],
        mirror: options.imageMirror ?? null,
        trusted: options.allowedHosts,
      },
      packageHosts: REGISTRIES,
    });
  }

  /** Removes what builds of killed processes have left, and caches that are no longer used. */
  async sweep(): Promise<void> {
    await this.directories.sweep();
    await this.caches.sweep();
    await this.packageManagers.sweep();
  }

  /** Returns how the disk of a build is limited on this machine. */
  diskMode(): Promise<DiskMode> {
    return this.disks.mode();
  }

  async fetch(request: BuildRequest, observer: BuildObserver, signal: AbortSignal): Promise<FetchedSource> {
    if (!ID.test(request.id) || !ID.test(request.projectId))
      throw new Error('The id of a build may have lower-case letters, digits, - and _ only.');
    const session = await this.open({
      id: request.id,
      limits: request.limits,
      signal,
      line: (stream, text) => {
        observer.line(stream, text);
      },
    });
    try {
      const framework = await session.waitFor(this.caches.framework(request, FRAMEWORK_CACHE));
      const source = await this.source.start(session, request, framework);
      return {
        commit: await source.commit(),
        build: (variables = {}) =>
          this.build({
            session,
            request: { ...request, environment: { ...variables, ...request.environment } },
            observer,
            source,
            framework,
          }),
        close: () => session.close(),
      };
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  private async build(fetched: Fetched): Promise<Built> {
    const { session, request, observer, source, framework } = fetched;
    try {
      observer.phase('fetch');
      const inspection = await source.inspection();
      if (!inspection.found) throw rootDirectoryNotFound(request.settings.rootDirectory ?? '', inspection.directories);
      const image = await this.images.build({ session, request, observer, source, inspection });
      if (image !== null) return image;
      const plan = planOf(request.settings, inspection, {
        nodeVersions: this.toolchain.nodeVersions,
        report: (text) => {
          session.say(cleanText(text));
        },
      });
      session.say(`Framework: ${plan.framework}${plan.nodeVersion === null ? '' : `, Node ${plan.nodeVersion}`}`);
      if (plan.install === null && plan.build === null) {
        // No code of the user runs, so that the program that fetched the files can also send them.
        observer.phase('collect');
        source.pack(packInputOf(plan));
        return new CollectedBuild({
          session,
          plan,
          collected: await collected({ session, plan, inspection }, source.program, source.reader),
          keep: () => Promise.resolve(),
        });
      }
      const found = await session.waitFor(this.caches.modules(request, plan));
      const isPrepared = await source.prepare(preparationOf(plan, { modules: found, framework }));
      const modules = isPrepared ? found : null;
      const ownModules = await this.installAndBuild({ session, request, plan, observer, modules });
      observer.phase('collect');
      return new CollectedBuild({
        session,
        plan,
        collected: await packed({ session, toolchain: this.toolchain, plan, inspection }),
        keep: () => this.caches.keep(session, request, { plan, ownModules }),
      });
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** @returns true when the build has packages of its own that may be kept. */
  private async installAndBuild({ modules, ...context }: BuildContext & { modules: Mount | null }): Promise<boolean> {
    if (context.request.settings.network === 'open')
      context.session.say('Network: the build may reach any public address. Each host is named here once.');
    const tools = await this.packageManagers.mounts(context.session, context.plan.packageManager);
    const { shared, isWhole } = await this.install({ ...context, tools, modules });
    return (await this.runBuild({ ...context, tools, shared })) && isWhole;
  }

  private open(
    parts: Pick<Parameters<typeof BuildSession.open>[0], 'id' | 'limits' | 'signal' | 'line'>,
  ): Promise<BuildSession> {
    return BuildSession.open({
      ...parts,
      isolation: this.options.isolation,
      directories: this.directories,
      toolchain: this.toolchain,
      disks: this.disks,
    });
  }

  private async install({
    session,
    request,
    plan,
    observer,
    tools,
    modules,
  }: ToolContext & { modules: Mount | null }): Promise<Installed> {
    if (plan.install === null) return { shared: null, isWhole: true };
    observer.phase('install');
    const { command, directory } = plan.install;
    if (modules !== null && (plan.leavesModulesAlone || (await this.copyModules(session, directory, modules)))) {
      session.say('Packages: as installed before, from the cache.');
      const mount = { from: `${modules.from}/node_modules`, to: `${directory}/node_modules` };
      return { shared: plan.leavesModulesAlone ? mount : null, isWhole: true };
    }
    const leftOut: string[] = [];
    for (let [own, now] = [command, command]; ; now = leftOut.length === 0 ? own : installWithout(own, leftOut)) {
      session.say(`$ ${leftOut.length === 0 ? now : `${own}, without the install script of ${leftOut.join(', ')}`}`);
      const end = await session.run(
        await this.stepOf({ session, request, plan, tools }, { command: now, directory, environment: {} }),
      );
      if (end.exitStatus === 0) return { shared: null, isWhole: leftOut.length === 0 };
      const relaxed = installWithConflicts({ ...end, command: own });
      if (relaxed !== null) {
        session.say(
          'Packages ask for versions of each other that do not fit, and no lock file says which to use. They are ' +
            'installed again without regard to that. Commit a lock file, so that each build has the same versions.',
        );
        own = relaxed;
        continue;
      }
      const name = packageToLeaveOut({ ...end, command }, leftOut);
      // A project without a package that it names itself would only fail later.
      if (name === null || plan.dependencies.includes(name)) throw installFailure({ ...end, command });
      session.say(
        `The install script of ${name} downloads from ${end.refused.join(', ')}, and a build may only go to package ` +
          'registries. Packages are installed again without it. If the project needs this package, set build_network ' +
          'to open, on a plan that includes it.',
      );
      leftOut.push(name);
    }
  }

  /** Copies packages to their directory, without those of the repository. Nothing is left when it fails. */
  private async copyModules(session: BuildSession, directory: string, modules: Mount): Promise<boolean> {
    const { exitStatus } = await session.run({
      command: [
        '/usr/bin/sh',
        '-c',
        'rm -rf node_modules && mkdir node_modules && cp -a /cache/modules/node_modules/. node_modules && exit 0; ' +
          'rm -rf node_modules; exit 1',
      ],
      directory,
      mounts: [modules],
      output: 'text',
    });
    return exitStatus === 0;
  }

  /** @returns true when the build has packages of its own. */
  private async runBuild({
    session,
    request,
    plan,
    observer,
    tools,
    shared,
  }: ToolContext & { shared: Mount | null }): Promise<boolean> {
    if (plan.build === null) return shared === null;
    observer.phase('build');
    await this.addAdapter({ session, request, plan, tools });
    session.say(`$ ${plan.build}`);
    const environment = { NODE_ENV: 'production', ...plan.buildEnvironment };
    const step = await this.stepOf(
      { session, request, plan, tools },
      { command: plan.build, directory: plan.root, environment },
    );
    const first = await session.run(shared === null ? step : { ...step, mounts: [...(step.mounts ?? []), shared] });
    const again = shared !== null && plan.install !== null && first.exitStatus !== 0 && first.metReadOnly;
    if (again) {
      session.say('The build writes to its packages. It is run again, with a copy of them.');
      await this.copyModules(session, plan.install.directory, { from: dirname(shared.from), to: '/cache/modules' });
    }
    const end = again ? await session.run(step) : first;
    if (end.exitStatus !== 0) {
      const isOpen = request.settings.network === 'open';
      throw buildFailure({ ...end, command: plan.build, refused: isOpen ? [] : end.refused });
    }
    return shared === null || again;
  }

  /** Adds the package that makes the output of the framework run on Node, as the preset says. */
  private async addAdapter({
    session,
    request,
    plan,
    tools,
  }: Pick<ToolContext, 'session' | 'request' | 'plan' | 'tools'>): Promise<void> {
    if (plan.adapter === null) return;
    const { packages, reason } = plan.adapter;
    session.say(`${reason} Using ${packages.join(' and ') || 'another configuration'} instead.`);
    const { exitStatus } = await session.run(
      await this.stepOf(
        { session, request, plan, tools },
        { command: adapterScript(plan.adapter), directory: plan.root, environment: {} },
      ),
    );
    if (exitStatus !== 0)
      throw new BuildFailed(
        'build_failed',
        `${packages.join(' and ')} could not be added. Add it to package.json and to the configuration of the project.`,
      );
  }

  private nodeOf(session: BuildSession, { nodeVersion }: BuildPlan): Promise<Mount[]> {
    return this.toolchain.node(nodeVersion ?? this.toolchain.nodeVersions[0]!, (text) => {
      session.say(text);
    });
  }

  /** Returns the step for a command of the user, with the user's environment. */
  private async stepOf(
    { session, request, plan, tools }: Pick<ToolContext, 'session' | 'request' | 'plan' | 'tools'>,
    { command, directory, environment }: { command: string; directory: string; environment: Record<string, string> },
  ): Promise<Step> {
    return {
      command: ['/usr/bin/sh', '-c', command],
      directory,
      mounts: [
        ...(await session.waitFor(this.nodeOf(session, plan))),
        ...(await this.toolchain.npmPackage()),
        ...this.toolchain.compilers(),
        ...tools,
        await this.toolchain.ownProgram('install_packages.py'),
      ],
      environment: {
        CI: '1',
        ...(request.settings.network === 'open' ? {} : WITHOUT_DOWNLOADS),
        NEXT_TELEMETRY_DISABLED: '1',
        EXPO_NO_TELEMETRY: '1',
        ASTRO_TELEMETRY_DISABLED: '1',
        // A build command may install the packages of a front end in a directory of its own, with NODE_ENV=production.
        npm_config_include: 'dev',
        npm_config_audit: 'false',
        npm_config_fund: 'false',
        npm_config_update_notifier: 'false',
        npm_config_progress: 'false',
        npm_config_fetch_retry_mintimeout: '1000',
        npm_config_fetch_retry_maxtimeout: '10000',
        npm_config_cache: '/home/build/.npm',
        NODE_OPTIONS: `--max-old-space-size=${Math.floor((request.limits.memoryBytes / MEBIBYTE) * HEAP_SHARE)}`,
        ...this.toolchain.headersOf(plan.nodeVersion),
        ...plan.environment,
        ...environment,
        ...request.environment,
      },
      egress: { hosts: REGISTRIES, trusted: this.options.allowedHosts, open: request.settings.network === 'open' },
      untrustedCode: true,
      output: 'log',
    };
  }
}

function preparationOf(
  { install, leavesModulesAlone, frameworkCaches }: BuildPlan,
  { modules, framework }: { modules: Mount | null; framework: Mount | null },
): Omit<Preparation, 'repository'> {
  const isMounted = modules !== null && install !== null && leavesModulesAlone;
  return {
    emptied: isMounted ? `${install.directory}/node_modules` : null,
    cached: framework === null ? null : { ...frameworkCaches, copy: FRAMEWORK_COPY, original: FRAMEWORK_CACHE },
  };
}

interface Fetched {
  readonly session: BuildSession;
  readonly request: BuildRequest;
  readonly observer: BuildObserver;
  readonly source: SourceProgram;
  /** The mount of the framework's cache. */
  readonly framework: Mount | null;
}

interface BuildContext {
  readonly session: BuildSession;
  readonly request: BuildRequest;
  readonly plan: BuildPlan;
  readonly observer: BuildObserver;
}

interface Installed {
  /** The cached packages to mount, or null when the build has its own. */
  readonly shared: Mount | null;
  /** False when an install script was left out, so that the packages are not kept for other builds. */
  readonly isWhole: boolean;
}

interface ToolContext extends BuildContext {
  /** The mounts of the package manager. */
  readonly tools: readonly Mount[];
}
