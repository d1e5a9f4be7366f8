import { posix } from 'node:path';

import { type Isolation } from '../../../platform/isolation/isolation.js';
import { BuildFailed } from '../build-failed.js';
import { type BuildObserver, type BuildRequest } from '../build-request.js';
import { type Built } from '../built.js';
import { ArchiveReader } from '../collect/archive-reader.js';
import { type Inspection } from '../plan/inspection.js';
import { SOURCE } from '../plan/plan-types.js';
import { type RepositoryFiles, repositoryFilesOf } from '../plan/repository-files.js';
import { type SourceProgram } from '../source/source-program.js';
import { type BuildSession, type StepEnd } from '../workspace/build-session.js';
import { cleanText } from '../workspace/clean-text.js';
import { type Toolchain } from '../workspace/toolchain.js';
import { CollectedImage } from './collected-image.js';
import { dockerfilePlan, PLATFORM, refused } from './dockerfile.js';
import { isBuiltAsImage } from './image-framework.js';
import { configurationOf, IMAGE, imageCommand, type ImageRegistries, isOfBuilder, missingFor } from './image-script.js';

interface ImageBuildsOptions {
  readonly isolation: Isolation;
  readonly toolchain: Toolchain;
  readonly registries: ImageRegistries;
  /** The registries of packages, which commands of a Dockerfile may reach as other builds do. */
  readonly packageHosts: readonly string[];
}

interface ImageContext {
  readonly session: BuildSession;
  readonly request: BuildRequest;
  readonly observer: BuildObserver;
  readonly source: SourceProgram;
  readonly inspection: Inspection;
}

/** What the builder says when it cannot fetch a base image. */
const NOT_FETCHED = new RegExp(
  [
    'initializing source',
    'pinging container registry',
    'reading manifest',
    'copying (?:from )?source',
    'requesting bearer token',
  ].join('|'),
  'i',
);

/**
 * Builds a project from its Dockerfile. The builder runs in the isolation of builds, with the same user, disk, limits
 * and network as any other command of a project.
 */
export class ImageBuilds {
  constructor(private readonly options: ImageBuildsOptions) {}

  /**
   * Returns null when the project is not built from its Dockerfile.
   * @throws {BuildFailed} `dockerfile_refused`, `build_failed`, and those of `BuildSession.run`.
   */
  async build(context: ImageContext): Promise<Built | null> {
    const { session, request, inspection } = context;
    if (!isBuiltAsImage(request.settings, repositoryFilesOf(inspection, () => undefined).settings, inspection))
      return null;
    const files = repositoryFilesOf(inspection, (text) => {
      session.say(cleanText(text));
    });
    const plan = dockerfilePlan(inspection.dockerfile);
    const missing = missingFor(this.options.isolation.mode);
    if (missing.length > 0)
      throw refused(
        `Found a Dockerfile, which this service cannot build: the operator has to install ${missing.join(' and ')}. ` +
          'Expected otherwise is a package.json with a known framework, a start script or a build script, or ' +
          'HTML files. ' +
          'Set the framework of the project to build without the Dockerfile.',
      );
    session.say('Framework: docker');
    for (const note of [...plan.notes, ...unusedSettings(request)]) session.say(cleanText(note));
    await context.source.prepare({ emptied: null, cached: null });
    await this.run(context, plan.args);
    return this.collect(context, files);
  }

  private async run({ session, request, observer }: ImageContext, args: readonly string[]): Promise<void> {
    const { toolchain, registries, packageHosts } = this.options;
    observer.phase('build');
    const wanted = args.filter((name) => Object.hasOwn(request.environment, name));
    for (const name of wanted.filter(isOfBuilder)) session.say(`The build argument ${name} is not passed. Rename it.`);
    const passed = wanted.filter((name) => !isOfBuilder(name));
    const root = posix.join(SOURCE, request.settings.rootDirectory ?? '');
    session.say('$ buildah build .');
    const end = await session.run({
      command: imageCommand(root, passed),
      directory: root,
      mounts: [...(await toolchain.ownNode()), ...(await toolchain.imageSystem(configurationOf(registries)))],
      environment: {
        ...Object.fromEntries(passed.map((name) => [name, request.environment[name]!])),
        // The builder is in a user namespace already, and must not create another one.
        _CONTAINERS_USERNS_CONFIGURED: 'done',
        XDG_RUNTIME_DIR: '/tmp/run',
        CONTAINERS_CONF: '/etc/containers/containers.conf',
      },
      egress: {
        hosts: [...packageHosts, ...registries.hosts],
        trusted: [...registries.trusted, ...(registries.mirror === null ? [] : [registries.mirror])],
        open: request.settings.network === 'open',
      },
      untrustedCode: true,
      buildsImage: true,
      output: 'log',
    });
    if (end.exitStatus !== 0) throw this.failureOf(end);
  }

  private async collect(
    { session, request, observer, inspection }: ImageContext,
    files: RepositoryFiles,
  ): Promise<Built> {
    observer.phase('collect');
    const { toolchain } = this.options;
    const packer = await session.start({
      command: ['/opt/node/bin/node', '/opt/inside/pack-image.cjs', IMAGE],
      mounts: [
        ...(await toolchain.ownNode()),
        ...(await Promise.all(['pack-image.cjs', 'pack.cjs'].map((name) => toolchain.ownProgram(name)))),
      ],
      readOnly: true,
    });
    const reader = new ArchiveReader(packer.stdout as AsyncIterable<Buffer>, (text) => {
      session.say(cleanText(text));
    });
    return CollectedImage.read({ session, packer, reader, request, inspection, files });
  }

  /** The last line of the builder says why it failed, or which command did. */
  private failureOf({ lastLines, refused: hosts, exitStatus }: StepEnd): BuildFailed {
    const why = lastLines.findLast((line) => /^error\b/i.test(line)) ?? '';
    if (/no image found in (?:image index|manifest list)|no matching manifest/i.test(why))
      return refused(
        `The base image is not for ${PLATFORM.os}/${PLATFORM.architecture}: ${why.slice(0, 300)}. ` +
          'Use a base image of that platform.',
      );
    if (NOT_FETCHED.test(why))
      return new BuildFailed(
        'build_failed',
        `A base image could not be fetched: ${why.slice(0, 300)}. Expected is a public image that exists` +
          (hosts.length === 0 ? '' : `, from a registry other than ${hosts.slice(0, 5).join(', ')}`) +
          '. Change its FROM.',
      );
    const said = why === '' ? `the builder exited with ${exitStatus ?? 'a signal'}` : why.slice(0, 500);
    return new BuildFailed('build_failed', `The build of the Dockerfile failed: ${said}`);
  }
}

/** Settings that say how to build without a Dockerfile. */
function unusedSettings({ settings }: BuildRequest): string[] {
  const named = {
    'install command': settings.installCommand,
    'build command': settings.buildCommand,
    'output directory': settings.outputDirectory,
    'version of Node': settings.nodeVersion,
  };
  return Object.entries(named)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name]) => `The ${name} of the project is not used: the Dockerfile says how it is built.`);
}
