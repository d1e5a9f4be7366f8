import { type IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import type { BuiltFile, BuiltLink, CronEntry, Routing, ServerCommand } from '../../hosting/built-output.js';
import { type BuildRequest } from '../build-request.js';
import { type Built, type UsedSettings } from '../built.js';
import { type ArchiveReader } from '../collect/archive-reader.js';
import { causeOf } from '../isolated/collected-build.js';
import { type Inspection } from '../plan/inspection.js';
import { type RepositoryFiles } from '../plan/repository-files.js';
import { routingOf } from '../plan/routing.js';
import { used } from '../plan/used-settings.js';
import { type BuildSession } from '../workspace/build-session.js';
import { cleanText } from '../workspace/clean-text.js';
import { imageConfigOf, serverOfImage } from './image-config.js';
import { IMAGE_FRAMEWORK } from './image-framework.js';

interface CollectedImageParts {
  readonly session: BuildSession;
  readonly packer: IsolatedProgram;
  readonly reader: ArchiveReader;
  readonly request: BuildRequest;
  readonly inspection: Inspection;
  readonly files: RepositoryFiles;
}

/** The root of an image, which is still on this machine. A program that can change nothing sends its files. */
export class CollectedImage implements Built {
  readonly framework = IMAGE_FRAMEWORK;
  readonly nodeVersion = null;
  readonly kind = 'server';
  /** Nothing of an image is sent to visitors without its server. */
  readonly static = [];
  readonly settings: UsedSettings;
  readonly crons: readonly CronEntry[];
  private taken = false;
  private closing: Promise<void> | null = null;

  private constructor(
    private readonly parts: CollectedImageParts,
    readonly server: ServerCommand,
    readonly routing: Routing,
  ) {
    this.settings = settingsOf(parts, server);
    this.crons = parts.files.crons;
  }

  /** Reads the configuration of the image. @throws {BuildFailed} `dockerfile_refused` */
  static async read(parts: CollectedImageParts): Promise<CollectedImage> {
    const { session, packer, reader, request, inspection } = parts;
    const say = (text: string): void => {
      session.say(cleanText(text));
    };
    try {
      const server = serverOfImage(imageConfigOf(await reader.image()), request.settings, say);
      const { vercel, netlify } = inspection;
      const routing = routingOf(
        {
          vercel,
          netlify,
          redirects: null,
          headers: null,
          notFound: null,
          fallback: null,
          base: null,
          hasServer: true,
        },
        say,
      );
      return new CollectedImage(parts, server, routing);
    } catch (error) {
      throw await causeOf(session, packer, error);
    }
  }

  async *files(): AsyncGenerator<BuiltFile | BuiltLink> {
    if (this.taken) throw new Error('The files of a build are taken once.');
    this.taken = true;
    for await (const file of this.explained(this.parts.reader.files()))
      yield 'linkTo' in file ? file : { ...file, content: this.explained(file.content) };
  }

  close(): Promise<void> {
    this.closing ??= this.parts.packer.destroy().then(
      () => this.parts.session.close(),
      () => this.parts.session.close(),
    );
    return this.closing;
  }

  private async *explained<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* source;
    } catch (error) {
      throw await causeOf(this.parts.session, this.parts.packer, error);
    }
  }
}

const DEFAULT_HEALTH_PATH = '/';
const DEFAULT_START_TIMEOUT_MS = 15_000;

function settingsOf({ request: { settings: set }, files }: CollectedImageParts, server: ServerCommand): UsedSettings {
  const unused = used<string>(undefined, null, null);
  return {
    framework: used(set.framework, files.settings.framework, IMAGE_FRAMEWORK) as UsedSettings['framework'],
    root_directory: used(set.rootDirectory, null, null),
    node_version: unused,
    install_command: unused,
    build_command: unused,
    output_directory: unused,
    start_command: used(set.startCommand, null, server.command.join(' ').slice(0, 2_000)),
    health_path: used(set.healthPath, null, DEFAULT_HEALTH_PATH),
    start_timeout_ms: used(set.startTimeoutMs, null, DEFAULT_START_TIMEOUT_MS),
  };
}
