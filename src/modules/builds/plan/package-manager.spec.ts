import fc from 'fast-check';
import {
  firstInstallCommandOf,
  installCommandOf,
  packageManagerEnvironment,
  type PackageManagerFacts,
  packageManagerOf,
} from './package-manager.js';

const NOTHING: PackageManagerFacts = {
  lockName: null,
  lockHead: '',
  named: null,
  pnpmRange: null,
  pnpmWorkspace: '',
  yarnRc: null,
};
const versionOf = (facts: Partial<PackageManagerFacts>): string => {
  const manager = packageManagerOf({ ...NOTHING, ...facts });
  return manager === null ? 'npm' : `${manager.packageName}@${manager.version}`;
};
const pnpm = (lockHead: string, more: Partial<PackageManagerFacts> = {}): string =>
  versionOf({ lockName: 'pnpm-lock.yaml', lockHead, ...more });
const yarn = (lockHead: string, more: Partial<PackageManagerFacts> = {}): string =>
  versionOf({ lockName: 'yarn.lock', lockHead, ...more });

describe('the package manager', () => {
  it('is the one that package.json names, if the lock file is its own', () => {
    expect(pnpm('', { named: 'pnpm@9.1.4+sha512.abc' })).toBe('pnpm@9.1.4');
    expect(pnpm('', { named: 'pnpm@8' })).toBe('pnpm@8.15.9');
    expect(pnpm('', { named: 'pnpm@10.0.0-rc.1' })).toBe('pnpm@10.0.0-rc.1');
    expect(yarn('', { named: 'yarn@1.22.19' })).toBe('yarn@1.22.19');
    expect(yarn('', { named: 'yarn@4.1.0' })).toBe('@yarnpkg/cli-dist@4.1.0');
    expect(versionOf({ lockName: 'bun.lock', named: 'bun@1.1.30' })).toBe('bun@1.1.30');
    expect(versionOf({ named: 'pnpm@9.0.0' })).toBe('pnpm@9.0.0');
    expect(versionOf({ lockName: 'package-lock.json', named: 'pnpm@9.0.0' })).toBe('npm');
    expect(pnpm("lockfileVersion: '6.0'", { named: 'yarn@4.1.0' })).toBe('pnpm@8.15.9');
  });

  it.each([
    ['lockfileVersion: 5.3\n', 'pnpm@7.33.7'],
    ['lockfileVersion: 5.4\n', 'pnpm@7.33.7'],
    ["lockfileVersion: '6.0'\n\nsettings:\n", 'pnpm@8.15.9'],
    ["lockfileVersion: '6.1'\r\n", 'pnpm@8.15.9'],
    ["lockfileVersion: '9.0'\n", 'pnpm@9.15.9'],
    ['', 'pnpm@9.15.9'],
  ])('of %j is %s', (head, version) => {
    expect(pnpm(head)).toBe(version);
  });

  it('of pnpm follows engines and the settings of the workspace', () => {
    const head = "lockfileVersion: '9.0'\n";
    expect(pnpm(head, { pnpmRange: '>=10' })).toBe('pnpm@10.34.9');
    expect(pnpm(head, { pnpmRange: '^8 || ^9' })).toBe('pnpm@9.15.9');
    expect(pnpm(head, { pnpmWorkspace: "packages:\n  - 'apps/*'\ncatalog:\n  a: 1\n" })).toBe('pnpm@9.15.9');
    expect(pnpm(head, { pnpmWorkspace: 'packages:\n  - a\nonlyBuiltDependencies:\n  - esbuild\n' })).toBe(
      'pnpm@10.34.9',
    );
  });

  it.each([
    ['# yarn lockfile v1\n\n\n', null, 'yarn@1.22.22'],
    ['# yarn lockfile v1\n', 'nodeLinker: node-modules', 'yarn@1.22.22'],
    ['# Generated\n\n__metadata:\n  version: 4\n', '', '@yarnpkg/cli-dist@2.4.2'],
    ['__metadata:\n  version: 5\n', '', '@yarnpkg/cli-dist@3.1.1'],
    ['__metadata:\n  version: 6\n  cacheKey: 8\n', null, '@yarnpkg/cli-dist@3.8.7'],
    ['__metadata:\n  version: 8\n  cacheKey: 10c0\n', null, '@yarnpkg/cli-dist@4.13.0'],
    ['__metadata:\n  version: 9\n', null, '@yarnpkg/cli-dist@4.14.1'],
    ['__metadata:\n  version: 10\n', null, '@yarnpkg/cli-dist@4.18.1'],
    ['', null, 'yarn@1.22.22'],
    ['', 'nodeLinker: node-modules', '@yarnpkg/cli-dist@4.18.1'],
    ['__metadata:\n  version: 8\n', 'yarnPath: .yarn/releases/yarn-4.3.1.cjs\n', '@yarnpkg/cli-dist@4.3.1'],
  ])('of a yarn.lock %j with the configuration %j is %s', (head, yarnRc, version) => {
    expect(yarn(head, { yarnRc })).toBe(version);
  });

  it('installs exactly what the lock file says', () => {
    const commandOf = (facts: Partial<PackageManagerFacts>): string =>
      installCommandOf(packageManagerOf({ ...NOTHING, ...facts }));
    expect(commandOf({ lockName: 'package-lock.json' })).toBe('npm ci --include=dev');
    expect(commandOf({ lockName: 'pnpm-lock.yaml' })).toBe('pnpm install --frozen-lockfile');
    expect(commandOf({ lockName: 'yarn.lock' })).toBe('yarn install --frozen-lockfile');
    expect(commandOf({ lockName: 'yarn.lock', named: 'yarn@4.0.0' })).toBe('yarn install --immutable');
    expect(commandOf({ lockName: 'bun.lockb' })).toBe('bun install --frozen-lockfile');
  });

  it('installs without a lock file by the package manager that the source names', () => {
    const commandOf = (facts: Partial<PackageManagerFacts>): string =>
      firstInstallCommandOf(packageManagerOf({ ...NOTHING, ...facts }));
    expect(commandOf({})).toBe('npm install --include=dev --no-package-lock');
    expect(commandOf({ named: 'npm@11.0.0' })).toBe('npm install --include=dev --no-package-lock');
    expect(commandOf({ named: 'pnpm@10.15.0' })).toBe('pnpm install --no-frozen-lockfile');
    expect(commandOf({ pnpmWorkspace: "packages:\n  - 'apps/*'\n" })).toBe('pnpm install --no-frozen-lockfile');
    expect(versionOf({ pnpmWorkspace: 'onlyBuiltDependencies:\n  - esbuild\n' })).toBe('pnpm@10.34.9');
    expect(commandOf({ named: 'yarn@1.22.22' })).toBe('yarn install --no-lockfile');
    expect(commandOf({ named: 'yarn@4.9.2' })).toBe('yarn install --no-immutable');
    expect(commandOf({ named: 'bun@1.2.0' })).toBe('bun install');
  });

  it('has variables that let packages for the build be installed and Turborepo pass variables on', () => {
    expect(packageManagerEnvironment(null)).toMatchObject({
      YARN_NODE_LINKER: 'node-modules',
      TURBO_ENV_MODE: 'loose',
    });
    // Yarn 2 and later refuses to start with a setting that it does not know.
    expect(
      packageManagerEnvironment({ name: 'yarn', packageName: '@yarnpkg/cli-dist', version: '4.0.0' }),
    ).not.toHaveProperty('YARN_PRODUCTION');
    expect(packageManagerEnvironment({ name: 'pnpm', packageName: 'pnpm', version: '9.0.0' })).toMatchObject({
      npm_config_production: 'false',
      npm_config_manage_package_manager_versions: 'false',
      BUILD_PNPM: '9.0.0',
    });
    // npm warns of each setting that it does not know.
    expect(packageManagerEnvironment(null)).not.toHaveProperty('npm_config_manage_package_manager_versions');
  });

  it('is one of ours at a version that is only a version, whatever the source says', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom('pnpm@9.0.0 --registry=x', 'pnpm@https://x/y.tgz', 'yarn@file:../x', 'pnpm@9.0.0-a b'),
      fc.tuple(fc.constantFrom('pnpm', 'yarn', 'bun'), fc.string({ maxLength: 20 })).map(([a, b]) => `${a}@${b}`),
    );
    fc.assert(
      fc.property(
        fc.constantFrom('pnpm-lock.yaml', 'yarn.lock', 'bun.lock', null),
        fc.record({ lockHead: text, named: text, pnpmRange: text, pnpmWorkspace: text, yarnRc: text }),
        (lockName, texts) => {
          const manager = packageManagerOf({ lockName, ...texts });
          if (manager === null) return;
          expect(['pnpm', 'yarn', '@yarnpkg/cli-dist', 'bun']).toContain(manager.packageName);
          expect(manager.version).toMatch(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/);
        },
      ),
    );
  });
});
