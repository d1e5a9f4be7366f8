import { dirname } from 'node:path';

import { type Mount } from '../../../platform/isolation/isolation-spec.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { type NodePrograms } from '../../../platform/node-programs/node-programs.js';
import { type Clock } from '../../../platform/time/clock.js';
import { BuildFailed } from '../build-failed.js';
import { type BuildObserver, type BuildRequest } from '../build-request.js';
import { type Built } from '../built.js';
import { BuildsService, type FetchedSource } from '../builds.service.js';
import { PUBLIC_REGISTRIES } from '../builds.settings.js';
import { ImageBuilds } from '../images/image-builds.js';
import { adapterScript } from '../plan/adapter-script.js';
import { planOf } from '../plan/build-plan.js';
import { buildFailure } from '../plan/install-failure.js';
import { type BuildPlan } from '../plan/plan-types.js';
import { rootDirectoryNotFound } from '../plan/root-directory.js';
import { FRAMEWORK_CACHE, FRAMEWORK_COPY, GitSource } from '../source/git-source.js';
import { type Preparation, type SourceProgram } from '../source/source-program.js';
import { IsolatedPackageLayers } from '../layers/isolated-package-layers.js';
import { LayerShelf } from '../layers/layer-shelf.js';
import { LayerSteps } from '../layers/layer-steps.js';
import { type PackageLayers } from '../package-layers.js';
import { packInputOf } from '../collect/pack-input.js';
import { BuildCaches } from '../workspace/build-caches.js';
import { BuildDirectories } from '../workspace/build-directories.js';
import { BuildSession } from '../workspace/build-session.js';
import { cleanText } from '../workspace/clean-text.js';
import { BuildDisks, type DiskMode } from '../workspace/disk/build-disks.js';
import { PackageManagers } from '../workspace/package-managers.js';
import { Toolchain } from '../workspace/toolchain.js';
import { collected, CollectedBuild, packed } from './collected-build.js';
import { PackageInstalls } from './package-installs.js';
import { type BuildContext, REGISTRIES, type ToolContext, UserSteps, variablesOf } from './user-steps.js';

const ID = /^[a-z0-9_-]{1,100}$/;

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
  /** Where packages of layers come from. The default is the public registries. */
  readonly layerRegistries?: { readonly npm: string; readonly pip: string };
  /** `counted` uses plain directories even if each build could have a file system of its own. */
  readonly disks?: 'auto' | 'counted';
}

/**
 * Builds on this machine in isolation. The host creates directories and starts programs, and never reads their output
 * from the disk.
 */
export class IsolatedBuilds extends BuildsService {
  readonly layers: PackageLayers;
  private readonly directories: BuildDirectories;
  private readonly disks: BuildDisks;
  private readonly toolchain: Toolchain;
  private readonly source: GitSource;
  private readonly caches: BuildCaches;
  private readonly packageManagers: PackageManagers;
  private readonly images: ImageBuilds;
  private readonly steps: UserSteps;
  private readonly installs: PackageInstalls;

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
    this.steps = new UserSteps(this.toolchain, options.allowedHosts);
    this.installs = new PackageInstalls(this.steps);
    this.layers = new IsolatedPackageLayers(
      (parts) => this.open(parts),
      new LayerSteps(this.toolchain, {
        ...(options.layerRegistries ?? PUBLIC_REGISTRIES),
        trusted: options.allowedHosts,
      }),
      new LayerShelf(this.directories, options.clock),
    );
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
      services: request.services ?? [],
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
      if (plan.install === null && plan.build === null && plan.adapter === null) {
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
    const { shared, isWhole } = await this.installs.install({ ...context, tools, modules });
    return (await this.runBuild({ ...context, tools, shared })) && isWhole;
  }

  private open(
    parts: Pick<Parameters<typeof BuildSession.open>[0], 'id' | 'limits' | 'services' | 'signal' | 'line'>,
  ): Promise<BuildSession> {
    return BuildSession.open({
      ...parts,
      isolation: this.options.isolation,
      directories: this.directories,
      toolchain: this.toolchain,
      disks: this.disks,
    });
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
    if (plan.build === null && plan.adapter === null) return shared === null;
    observer.phase('build');
    await this.addAdapter({ session, request, plan, tools });
    if (plan.build === null) return shared === null;
    session.say(`$ ${plan.build}`);
    const environment = { NODE_ENV: 'production', ...plan.buildEnvironment };
    const step = await this.steps.of(
      { session, request, plan, tools },
      { command: plan.build, directory: plan.root, environment },
    );
    const first = await session.run(shared === null ? step : { ...step, mounts: [...(step.mounts ?? []), shared] });
    const again = shared !== null && plan.install !== null && first.exitStatus !== 0 && first.metReadOnly;
    if (again) {
      session.say('The build writes to its packages. It is run again, with a copy of them.');
      await this.installs.copyModules(session, plan.install.directory, {
        from: dirname(shared.from),
        to: '/cache/modules',
      });
    }
    const end = again ? await session.run(step) : first;
    if (end.exitStatus !== 0) {
      const isOpen = request.settings.network === 'open';
      const refused = isOpen ? [] : end.refused;
      throw buildFailure({ ...end, command: plan.build, refused, variables: variablesOf({ request, plan }) });
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
    const { packages, wraps, reason } = plan.adapter;
    const used = packages.join(' and ') || (wraps === undefined ? '' : 'another configuration');
    session.say(used === '' ? reason : `${reason} Using ${used} instead.`);
    const { exitStatus } = await session.run(
      await this.steps.of(
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
