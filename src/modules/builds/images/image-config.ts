import { type ImageServer, type ServerCommand } from '../../hosting/built-output.js';
import { type BuildSettings } from '../build-request.js';
import { PLATFORM, refused } from './dockerfile.js';

/** The part of an image's configuration that its server needs. */
interface ImageConfig {
  readonly os: string;
  readonly architecture: string;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** The TCP ports of EXPOSE. */
  readonly ports: readonly number[];
  /** The names in /etc/passwd of the image. */
  readonly users: readonly string[];
}

const DEFAULT_PORT = 3_000;
/** Only root may listen on the ports below, and servers are not root. */
const FIRST_PORT = 1_024;
const LAST_PORT = 65_535;
const MOST_VARIABLES = 200;
const MOST_CHARACTERS = 65_536;
const NAME = /^[A-Za-z_]\w{0,199}$/;
/** These directories of an image are replaced when its server runs. */
const NOT_OF_IMAGE = ['proc', 'sys', 'dev', 'tmp', 'run'];

/**
 * Reads the record of `inside/pack-image.cjs`, which comes from a sandbox and describes an image of anyone.
 * @throws {BuildFailed} `dockerfile_refused`
 */
export function imageConfigOf(raw: Record<string, unknown>): ImageConfig {
  const config = recordOf(raw.config);
  return {
    os: textOf(raw.os),
    architecture: textOf(raw.architecture),
    user: textOf(config.User),
    entrypoint: textsOf(config.Entrypoint),
    command: textsOf(config.Cmd),
    environment: environmentOf(textsOf(config.Env)),
    workingDirectory: textOf(config.WorkingDir),
    ports: Object.keys(recordOf(config.ExposedPorts))
      .flatMap((each) => /^(\d{1,5})(?:\/tcp)?$/.exec(each)?.[1] ?? [])
      .map(Number)
      .filter((port) => port > 0 && port <= LAST_PORT)
      .sort((a, b) => a - b),
    users: textsOf(raw.users),
  };
}

/**
 * Decides how the server of an image runs.
 * @throws {BuildFailed} `dockerfile_refused`
 */
export function serverOfImage(
  config: ImageConfig,
  { startCommand, healthPath, startTimeoutMs }: BuildSettings,
  report: (text: string) => void,
): ServerCommand & { readonly image: ImageServer } {
  requirePlatform(config);
  requireUser(config);
  const command =
    startCommand === undefined ? [...config.entrypoint, ...config.command] : ['/bin/sh', '-c', startCommand];
  if (command.length === 0)
    throw refused(
      'The image has neither a CMD nor an ENTRYPOINT. Expected is one that starts the server. Add it to the ' +
        'Dockerfile, or set the start command of the project.',
    );
  return {
    command,
    directory: workingDirectoryOf(config),
    ...(healthPath === undefined ? {} : { healthPath }),
    ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
    image: { environment: config.environment, port: portOf(config, report) },
  };
}

function requirePlatform({ os, architecture }: ImageConfig): void {
  if (os === PLATFORM.os && architecture === PLATFORM.architecture) return;
  throw refused(
    `The image is for ${os.slice(0, 40)}/${architecture.slice(0, 40)}. Expected is ` +
      `${PLATFORM.os}/${PLATFORM.architecture}. Use a base image of that platform.`,
  );
}

/** Servers never run as the user that an image names, but a name that the image lacks is a mistake in it. */
function requireUser({ user, users }: ImageConfig): void {
  const [name = ''] = user.split(':');
  if (name === '' || /^\d{1,10}$/.test(name) || users.includes(name)) return;
  throw refused(
    `The Dockerfile sets USER ${name.slice(0, 60)}, and /etc/passwd of the image has no such user. ` +
      'Create it with RUN, or remove USER: servers never run as root.',
  );
}

function workingDirectoryOf({ workingDirectory }: ImageConfig): string {
  const parts = workingDirectory.split('/').filter((part) => part !== '' && part !== '.');
  if (!parts.includes('..') && !NOT_OF_IMAGE.includes(parts[0] ?? '')) return parts.join('/');
  throw refused(
    `The image has the working directory ${workingDirectory.slice(0, 100)}, which servers cannot start in. ` +
      'Set another one by WORKDIR, such as /app.',
  );
}

/** The port of PORT in the image, or else the first one of EXPOSE that a server may listen on. */
function portOf({ environment, ports }: ImageConfig, report: (text: string) => void): number {
  const named = Number(environment['PORT'] ?? '');
  if (Number.isInteger(named) && named >= FIRST_PORT && named <= LAST_PORT) return named;
  const usable = ports.find((port) => port >= FIRST_PORT);
  if (usable === undefined && ports.length > 0)
    report(
      `The image exposes port ${ports.join(', ')}. Servers are not root and cannot listen below ${FIRST_PORT}. ` +
        `The server has to listen on PORT, which is ${DEFAULT_PORT}.`,
    );
  return usable ?? DEFAULT_PORT;
}

function environmentOf(entries: readonly string[]): Record<string, string> {
  const pairs = entries
    .map((entry): [string, string] => {
      const at = entry.indexOf('=');
      return at === -1 ? ['', ''] : [entry.slice(0, at), entry.slice(at + 1)];
    })
    .filter(([name, value]) => NAME.test(name) && !value.includes('\0'));
  const characters = pairs.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (pairs.length > MOST_VARIABLES || characters > MOST_CHARACTERS)
    throw refused(
      `The image has ${pairs.length} variables of ${characters} characters. Expected are at most ${MOST_VARIABLES} ` +
        `of ${MOST_CHARACTERS}. Remove some of its ENV instructions.`,
    );
  return Object.fromEntries(pairs);
}

const textOf = (value: unknown): string => (typeof value === 'string' && !value.includes('\0') ? value : '');

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string' && !each.includes('\0')) : [];

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
