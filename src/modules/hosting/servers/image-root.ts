import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Mount } from '../../../platform/isolation/isolation-spec.js';
import type { LaunchSpec } from '../../../platform/isolation/launch-spec.js';
import { LISTEN_DESCRIPTOR } from '../../../platform/isolation/launch-spec.js';
import { ServerDidNotStart } from '../hosting.errors.js';
import type { Manifest } from '../ingest/manifest.js';

/** Where the forwarder, and what it needs from this machine, lie beside the files of an image. */
const OURS = '/.platform';
/** The loader of programs that are linked with the libraries of this machine, with the place of those libraries. */
const LOADERS = [
  ['/lib64/ld-linux-x86-64.so.2', ['/usr/lib/x86_64-linux-gnu', '/usr/lib64']],
  ['/lib/ld-linux-aarch64.so.1', ['/usr/lib/aarch64-linux-gnu', '/lib/aarch64-linux-gnu', '/usr/lib64']],
] as const;
/** What an image has at these names is never mounted. */
const NOT_OF_IMAGE = new Set(['proc', 'sys', 'dev', 'tmp', 'run', '.platform']);
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const LOAD = `${OURS}/loader --library-path ${OURS}/lib`;
/**
 * An image may have no shell and other libraries, so the shell and the forwarder are those of this machine. When the
 * server ends, everything ends with its status. The server does not inherit the socket.
 */
const BOTH = `${LOAD} ${OURS}/node ${OURS}/serve.cjs & "$@" </dev/null ${LISTEN_DESCRIPTOR}<&-; exit $?`;

interface ImageRootParts {
  readonly tree: string;
  readonly manifest: Manifest;
  readonly node: string;
  readonly forwarder: string;
}

/**
 * The file system of a server that comes from a container image. Each name at the top of the image is mounted
 * read-only, in place of the system of this machine.
 *
 * @throws {ServerDidNotStart} when this machine cannot run servers of images.
 */
export function imageRoot({ tree, manifest, node, forwarder }: ImageRootParts): Pick<LaunchSpec, 'mounts' | 'links'> {
  const { loader, libraries } = systemLoader();
  const top = new Set(
    Object.keys(manifest.files)
      .concat(Object.keys(manifest.links ?? {}))
      .map(firstName),
  );
  const names = [...top].filter((name) => !NOT_OF_IMAGE.has(name));
  const links = manifest.links ?? {};
  const isLink = (name: string): boolean => Object.hasOwn(links, name);
  return {
    mounts: [
      ...names.filter((name) => !isLink(name)).map((name): Mount => ({ from: join(tree, name), to: `/${name}` })),
      { from: loader, to: `${OURS}/loader` },
      { from: libraries, to: `${OURS}/lib` },
      { from: realpathSync('/bin/sh'), to: `${OURS}/sh` },
      { from: node, to: `${OURS}/node` },
      { from: forwarder, to: `${OURS}/serve.cjs` },
    ],
    links: names.filter(isLink).map((name) => ({ to: links[name]!, at: `/${name}` })),
  };
}

export const imageCommand = (command: readonly string[]): readonly string[] => [
  `${OURS}/loader`,
  '--library-path',
  `${OURS}/lib`,
  `${OURS}/sh`,
  '-c',
  BOTH,
  'sh',
  ...command,
];

/** The variables of the image, and those of the project over them. */
export const imageEnvironment = (
  image: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
  port: number,
): Readonly<Record<string, string>> => ({
  PATH: DEFAULT_PATH,
  HOME: '/tmp',
  ...image,
  ...variables,
  PORT: String(port),
  HOSTNAME: '0.0.0.0',
});

function firstName(path: string): string {
  const end = path.indexOf('/');
  return end === -1 ? path : path.slice(0, end);
}

function systemLoader(): { readonly loader: string; readonly libraries: string } {
  for (const [loader, places] of LOADERS) {
    const libraries = places.find((place) => existsSync(place));
    if (existsSync(loader) && libraries !== undefined) return { loader: realpathSync(loader), libraries };
  }
  throw new ServerDidNotStart('This machine cannot run servers of container images: it has no GNU C library.');
}
