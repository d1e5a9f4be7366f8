/** The facts about a source that decide which package manager installs its packages. All texts are untrusted. */
export interface PackageManagerFacts {
  /** The name of the lock file, or null if there is none. */
  readonly lockName: string | null;
  /** The beginning of the lock file. */
  readonly lockHead: string;
  /** `packageManager` of the package.json beside the lock file, or of the project. */
  readonly named: string | null;
  /** `engines.pnpm`, which pnpm enforces. */
  readonly pnpmRange: string | null;
  /** The text of pnpm-workspace.yaml. */
  readonly pnpmWorkspace: string;
  /** The text of .yarnrc.yml, or null if there is none. */
  readonly yarnRc: string | null;
}

/** A package manager that has to be fetched before it can run. Node comes with npm. */
export interface PackageManager {
  readonly name: 'pnpm' | 'yarn' | 'bun';
  /** The package of the registry. Its name is one of ours, and never text of a source. */
  readonly packageName: 'pnpm' | 'yarn' | '@yarnpkg/cli-dist' | 'bun';
  /** An exact version. */
  readonly version: string;
}

/** The newest release of each major version when this table was written. A source may name any other one. */
export const RELEASES = {
  pnpm: {
    6: '6.35.1',
    7: '7.33.7',
    8: '8.15.9',
    9: '9.15.9',
    10: '10.34.9',
    11: '11.28.11',
    12: '12.21.0',
  },
  yarn: { 1: '1.22.22', 2: '2.4.2', 3: '3.8.7', 4: '4.18.1' },
  bun: { 1: '1.4.5' },
} as const satisfies Record<PackageManager['name'], Record<number, string>>;

/** The newest release of Yarn that leaves a lock file of this format, or of an older one in the same line, as it is. */
const YARN_BY_FORMAT: readonly (readonly [format: number, version: string])[] = [
  [4, '2.4.2'],
  [5, '3.1.1'],
  [6, '3.8.7'],
  [8, '4.13.0'],
  [9, '4.14.1'],
];

const NAMED = /^(pnpm|yarn|bun)@(\d{1,5})(?:\.(\d{1,5})\.(\d{1,5})(-[0-9a-z.-]{1,40})?)?(?:[+.].*)?$/i;

/** The names of pnpm-workspace.yaml that pnpm 9 reads. Later versions have all their settings there. */
const WORKSPACE_OF_PNPM_9 = ['packages', 'catalog', 'catalogs'];

/** Validates the facts, because they come from a sandbox. */
export function packageManagerFactsOf(raw: unknown, lockName: string | null): PackageManagerFacts {
  const facts = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, unknown>;
  const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    lockName,
    lockHead: textOf(facts.lockHead) ?? '',
    named: textOf(facts.named),
    pnpmRange: textOf(facts.pnpmRange),
    pnpmWorkspace: textOf(facts.pnpmWorkspace) ?? '',
    yarnRc: textOf(facts.yarnRc),
  };
}

/**
 * Returns the package manager that wrote the lock file, or the one that package.json names if there is no lock file.
 * Only pnpm reads pnpm-workspace.yaml. Null stands for npm.
 */
export function packageManagerOf(facts: PackageManagerFacts): PackageManager | null {
  switch (facts.lockName) {
    case 'pnpm-lock.yaml':
      return named(facts, 'pnpm') ?? released('pnpm', pnpmOf(facts));
    case 'yarn.lock':
      return named(facts, 'yarn') ?? yarnOf(facts);
    case 'bun.lock':
    case 'bun.lockb':
      return named(facts, 'bun') ?? released('bun', 1);
    case null:
      return (
        named(facts, 'pnpm') ??
        named(facts, 'yarn') ??
        named(facts, 'bun') ??
        (facts.pnpmWorkspace === '' ? null : released('pnpm', pnpmOf(facts)))
      );
    default:
      return null;
  }
}

/** Returns the command that installs exactly what the lock file says. */
export function installCommandOf(manager: PackageManager | null): string {
  switch (manager?.name) {
    case undefined:
      return 'npm ci --include=dev';
    case 'pnpm':
      return 'pnpm install --frozen-lockfile';
    case 'bun':
      return 'bun install --frozen-lockfile';
    case 'yarn':
      return isClassic(manager) ? 'yarn install --frozen-lockfile' : 'yarn install --immutable';
  }
}

/** Returns the command that installs what package.json asks for, in a source without a lock file. */
export function firstInstallCommandOf(manager: PackageManager | null): string {
  switch (manager?.name) {
    case undefined:
      return 'npm install --include=dev --no-package-lock';
    case 'pnpm':
      return 'pnpm install --no-frozen-lockfile';
    case 'bun':
      return 'bun install';
    case 'yarn':
      return isClassic(manager) ? 'yarn install --no-lockfile' : 'yarn install --no-immutable';
  }
}

/**
 * Variables for the package managers of a build. They are set for all of them, because a script of npm may run another
 * one.
 */
export function packageManagerEnvironment(manager: PackageManager | null): Record<string, string> {
  return {
    YARN_ENABLE_TELEMETRY: '0',
    YARN_ENABLE_PROGRESS_BARS: '0',
    YARN_ENABLE_GLOBAL_CACHE: '1',
    YARN_GLOBAL_FOLDER: '/home/build/.yarn',
    // Servers run without the loader of Plug'n'Play, and only node_modules can be cached.
    YARN_NODE_LINKER: 'node-modules',
    // The version is decided here, and nothing else is fetched in place of it.
    COREPACK_ENABLE_STRICT: '0',
    COREPACK_ENABLE_PROJECT_SPEC: '0',
    COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
    // Turborepo would hide the proxy and the certificates from what it runs.
    TURBO_ENV_MODE: 'loose',
    TURBO_TELEMETRY_DISABLED: '1',
    ...(manager === null ? {} : ownEnvironment(manager)),
  };
}

function ownEnvironment(manager: PackageManager): Record<string, string> {
  // NODE_ENV=production, as a variable of the project, would otherwise leave out the packages that the build needs.
  switch (manager.name) {
    case 'pnpm':
      return {
        npm_config_production: 'false',
        npm_config_manage_package_manager_versions: 'false',
        pnpm_config_manage_package_manager_versions: 'false',
        // In the file system of the source, packages are linked out of the store instead of copied.
        npm_config_store_dir: '/work/.pnpm-store',
        pnpm_config_store_dir: '/work/.pnpm-store',
        BUILD_PNPM: manager.version,
      };
    case 'yarn':
      return {
        ...(isClassic(manager) ? { YARN_PRODUCTION: 'false' } : {}),
        BUILD_YARN: `${manager.packageName}@${manager.version}`,
      };
    case 'bun':
      return { BUILD_BUN: manager.version };
  }
}

const isClassic = ({ version }: PackageManager): boolean => /^[01]\./.test(version);

/** The version that the source names. A bare major version stands for its newest release. */
function named({ named: text }: PackageManagerFacts, name: PackageManager['name']): PackageManager | null {
  const [, found, major = '', minor, patch, label = ''] = NAMED.exec((text ?? '').slice(0, 300)) ?? [];
  if (found !== name) return null;
  return minor === undefined || patch === undefined
    ? released(name, Number(major))
    : managerOf(name, `${major}.${minor}.${patch}${label}`);
}

/** An unknown major version becomes the newest one that is known. */
function released(name: PackageManager['name'], major: number): PackageManager {
  const releases: Readonly<Record<number, string>> = RELEASES[name];
  const newest = Math.max(...Object.keys(releases).map(Number));
  return managerOf(name, releases[major] ?? releases[newest]!);
}

function managerOf(name: PackageManager['name'], version: string): PackageManager {
  const manager = { name, packageName: name, version };
  return name === 'yarn' && !isClassic(manager) ? { ...manager, packageName: '@yarnpkg/cli-dist' } : manager;
}

/**
 * pnpm 9 and later write the same version of the lock file. Of these, 9 runs the install scripts of packages without
 * being asked, so it is used unless the workspace has settings that only later ones read.
 */
function pnpmOf({ lockHead, pnpmRange, pnpmWorkspace }: PackageManagerFacts): number {
  const asked = Number(/^[\^~>= v]*(\d{1,2})/.exec(pnpmRange ?? '')?.[1]);
  const format = Number(/^lockfileVersion: *['"]?(\d{1,3})/m.exec(lockHead)?.[1]);
  if (format < 5) return 6;
  if (format === 5) return asked === 6 ? 6 : 7;
  if (format === 6) return 8;
  if (asked >= 9) return asked;
  const settings = [...pnpmWorkspace.matchAll(/^([A-Za-z]\w*):/gm)].map(([, setting]) => setting!);
  return settings.every((setting) => WORKSPACE_OF_PNPM_9.includes(setting)) ? 9 : 10;
}

/** A release of Yarn refuses the lock file of another one if it would have to change its format. */
function yarnOf({ lockHead, yarnRc }: PackageManagerFacts): PackageManager {
  const path = /^yarnPath: *\S*yarn-(\d{1,2}\.\d{1,4}\.\d{1,4})\.c?js/m.exec(yarnRc ?? '')?.[1];
  if (path !== undefined) return managerOf('yarn', path);
  const format = Number(/^__metadata:\s+version: *['"]?(\d{1,3})/m.exec(lockHead)?.[1]);
  if (Number.isNaN(format)) return released('yarn', yarnRc === null || lockHead.includes('yarn lockfile v1') ? 1 : 4);
  const fitting = YARN_BY_FORMAT.find(([most]) => format <= most);
  return fitting === undefined ? released('yarn', 4) : managerOf('yarn', fitting[1]);
}
