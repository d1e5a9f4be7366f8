import { type DockerfileFacts } from '../images/dockerfile.js';
import { type PackageManagerFacts, packageManagerFactsOf } from './package-manager.js';

/** The facts that `inside/inspect.cjs` reports about a source. */
export interface Inspection {
  readonly found: boolean;
  /** The names in the root directory of the project. */
  readonly entries: readonly string[];
  /** Paths of up to three names below the root directory, without packages. Long lists are cut off. */
  readonly paths: readonly string[];
  /** The paths that have the name of an HTML page and are no file. */
  readonly falsePages: readonly string[];
  /** The texts of configuration files in the root directory, by name. */
  readonly configs: Readonly<Record<string, string>>;
  /** All lock files in the directory of `lock`. */
  readonly locks: readonly string[];
  /** Other directories with a package.json, with their dependencies. */
  readonly packages: readonly { readonly directory: string; readonly dependencies: readonly string[] }[];
  /** Directories of the repository, if the root directory was not found. */
  readonly directories: readonly string[];
  /** What `inside/python.cjs` reports, or null when nothing says that this is a Python project. */
  readonly python: PythonProject | null;
  /** Up to four of each: submodules of git, and pointers of Git LFS that lie in place of a file. */
  readonly unfetched: { readonly submodules: readonly string[]; readonly pointers: readonly string[] };
  /** The text of the Procfile. */
  readonly procfile: string | null;
  /** Null when the root directory has no Dockerfile. */
  readonly dockerfile: DockerfileFacts | null;
  readonly manifest: Manifest | null;
  readonly hasWorkspaces: boolean;
  readonly nodeFile: string | null;
  /** The lock file, with its directory relative to the repository. */
  readonly lock: { readonly directory: string; readonly name: string } | null;
  /** The directory of the workspace of a member without a lock file, relative to the repository. */
  readonly workspace: string | null;
  readonly installHash: string;
  readonly packageManager: PackageManagerFacts;
  /** The text of vercel.json. */
  readonly vercel: string | null;
  /** The text of netlify.toml. */
  readonly netlify: string | null;
}

/** The facts about a Python project. */
export interface PythonProject {
  /** The file that says which packages to install. */
  readonly packages: string | null;
  readonly application: {
    readonly framework: string;
    /** The module and the name of the application in it, such as `app.main:app`, or `app:create_app()`. */
    readonly target: string;
    /** The directory that modules are looked up in, relative to the root directory. */
    readonly directory: string;
  } | null;
  /** A program at the top that is no known application, with the library that starts it. */
  readonly program?: { readonly file: string; readonly library: string | null } | null;
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  /** Includes the dependencies for development. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly node: string | null;
  readonly packageManager: string | null;
  readonly main: string | null;
}

/** Validates the facts, because they come from a sandbox. @throws {Error} when they have an unexpected form. */
export function inspectionOf(raw: Record<string, unknown>): Inspection {
  const manifest = raw.manifest == null ? null : recordOf(raw.manifest);
  const lock = raw.lock == null ? null : recordOf(raw.lock);
  const lockDirectory = textOf(lock?.directory) ?? '';
  const workspace = textOf(raw.workspace);
  for (const directory of [lockDirectory, workspace ?? ''])
    if (directory.split('/').includes('..') || directory.startsWith('/'))
      throw new Error('the packages are installed outside');
  return {
    found: raw.found === true,
    entries: textsOf(raw.entries),
    paths: textsOf(raw.paths),
    falsePages: textsOf(raw.falsePages),
    configs: stringsOf(raw.configs),
    locks: textsOf(raw.locks),
    packages: (Array.isArray(raw.packages) ? raw.packages : []).map((each: unknown) => {
      const { directory, dependencies } = recordOf(each);
      return { directory: textOf(directory) ?? '', dependencies: textsOf(dependencies) };
    }),
    directories: textsOf(raw.directories),
    python: raw.python == null ? null : pythonOf(recordOf(raw.python)),
    unfetched: unfetchedOf(raw.unfetched == null ? {} : recordOf(raw.unfetched)),
    procfile: textOf(raw.procfile),
    dockerfile: raw.dockerfile == null ? null : dockerfileOf(recordOf(raw.dockerfile)),
    manifest:
      manifest === null
        ? null
        : {
            scripts: stringsOf(manifest.scripts),
            dependencies: stringsOf(manifest.dependencies),
            node: textOf(manifest.node),
            packageManager: textOf(manifest.packageManager),
            main: textOf(manifest.main),
          },
    hasWorkspaces: raw.hasWorkspaces === true,
    nodeFile: textOf(raw.nodeFile),
    lock: lock === null ? null : { directory: lockDirectory, name: textOf(lock.name) ?? '' },
    workspace: lock === null ? workspace : null,
    installHash: /^[0-9a-f]{64}$/.exec(textOf(raw.installHash) ?? '')?.[0] ?? '',
    packageManager: packageManagerFactsOf(raw.packageManager, textOf(lock?.name)),
    vercel: textOf(raw.vercel),
    netlify: textOf(raw.netlify),
  };
}

const unfetchedOf = ({ submodules, pointers }: Record<string, unknown>): Inspection['unfetched'] => ({
  submodules: textsOf(submodules),
  pointers: textsOf(pointers),
});

/** These become parts of commands, so that only plain names pass. */
const PACKAGE_FILE = /^[\w.]{1,40}$/;
const DIRECTORY = /^[A-Za-z_]\w{0,60}$/;
const PROGRAM_FILE = /^\w{1,60}\.py$/;
const TARGET = /^[A-Za-z_][\w.]{0,200}:[A-Za-z_]\w{0,100}(?:\(\))?$/;

function pythonOf(raw: Record<string, unknown>): PythonProject {
  const packages = textOf(raw.packages);
  const found = raw.application == null ? null : recordOf(raw.application);
  const target = textOf(found?.target) ?? '';
  const program = raw.program == null ? null : recordOf(raw.program);
  const file = textOf(program?.file) ?? '';
  return {
    packages: packages !== null && PACKAGE_FILE.test(packages) ? packages : null,
    application:
      found === null || !TARGET.test(target)
        ? null
        : {
            framework: textOf(found.framework) ?? '',
            target,
            directory: DIRECTORY.exec(textOf(found.directory) ?? '')?.[0] ?? '',
          },
    program: program === null || !PROGRAM_FILE.test(file) ? null : { file, library: textOf(program.library) },
  };
}

function dockerfileOf({ bytes, text }: Record<string, unknown>): DockerfileFacts {
  return { bytes: typeof bytes === 'number' && Number.isSafeInteger(bytes) ? bytes : 0, text: textOf(text) };
}

function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error('no object');
  return value as Record<string, unknown>;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

function stringsOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
