import { packageManagerConflict } from './package-manager-conflict.js';

const said = (command: string, output: string): string | null =>
  packageManagerConflict({ command, lastLines: output.split('\n') });

const ONLY_ALLOW_PNPM = `> shop@1.0.0 preinstall
> npx only-allow pnpm

╔═════════════════════════════════════════════════════════════╗
║                                                             ║
║   Use "pnpm install" for installation in this project.      ║
║                                                             ║
║   If you don't have pnpm, install it via "npm i -g pnpm".   ║
║   For more details, go to https://pnpm.js.org/              ║
║                                                             ║
╚═════════════════════════════════════════════════════════════╝
npm error code 1
npm error path /work/source
npm error command failed
npm error command sh -c npx only-allow pnpm`;

const ONLY_ALLOW_YARN = `╔═══════════════════════════════════════════════════════╗
║   Use "yarn" for installation in this project.        ║
╚═══════════════════════════════════════════════════════╝
 ELIFECYCLE  Command failed with exit code 1.`;

const ONLY_ALLOW_NPM = '║   Use "npm install" for installation in this project   ║';

const PNPM_OTHER = ' ERR_PNPM_OTHER_PM_EXPECTED  This project is configured to use yarn';

const COREPACK =
  'Usage Error: This project is configured to use pnpm because /work/source/package.json has a "packageManager" field';

const DEV_ENGINES = `npm error code EBADDEVENGINES
npm error EBADDEVENGINES The developer of this package has specified the following through devEngines
npm error EBADDEVENGINES Invalid devEngines.packageManager
npm error EBADDEVENGINES Invalid name "pnpm" does not match "npm" for "packageManager"`;

const PNPM_VERSION = `
 ERR_PNPM_BAD_PM_VERSION  This project is configured to use v10.2.0 of pnpm. Your current pnpm is v9.15.9

If you want to bypass this version check, you can set the "package-manager-strict" configuration to "false"`;

const PNPM_ENGINE = ` ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment (bad pnpm and/or Node.js version)

Your pnpm version is incompatible with "/work/source".

Expected version: >=10.0.0
Got: 9.15.9

This is happening because the package's manifest has an engines.pnpm field specified.`;

const PNPM_NODE = ` ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment (bad pnpm and/or Node.js version)

Your Node version is incompatible with "/work/source".

Expected version: >=24
Got: v22.12.0`;

const YARN_VERSION = `${[
  `error This project's package.json defines "packageManager": "yarn@4.1.0+sha512.5ae6".`,
  'However the current global version of Yarn is 1.22.22.',
].join(' ')}

Presence of the "packageManager" field indicates that the project is meant to be used with Corepack, a tool included by
default with all official Node.js distributions starting from 16.9 and 14.19.`;

const YARN_ENGINE = `[1/5] Validating package.json...
error shop@1.0.0: The engine "node" is incompatible with this module. Expected version ">=24". Got "22.12.0"
error Found incompatible module.`;

const NPM_ENGINE = `npm error code EBADENGINE
npm error engine Unsupported engine
npm error engine Not compatible with your version of node/npm: shop@1.0.0
npm error notsup Not compatible with your version of node/npm: shop@1.0.0
npm error notsup Required: {"node":">=20","npm":"please-use-pnpm"}
npm error notsup Actual:   {"npm":"10.9.2","node":"v22.12.0"}`;

const NPM_NODE = `npm ERR! code EBADENGINE
npm ERR! notsup Required: {"node":"24.x","npm":">=10"}
npm ERR! notsup Actual:   {"npm":"10.9.2","node":"v22.12.0"}`;

const NPM_CI = 'npm ci --include=dev';
const NPM_INSTALL = 'npm install --include=dev --no-package-lock';

describe('a package manager that the project refuses', () => {
  it('is named with the lock file that chose it, and the one to commit instead', () => {
    expect(said(NPM_CI, ONLY_ALLOW_PNPM)).toBe(
      'the project expects pnpm, and found was npm, because of package-lock.json. Commit the pnpm-lock.yaml that ' +
        'pnpm install writes, and remove package-lock.json.',
    );
    expect(said('pnpm install --frozen-lockfile', ONLY_ALLOW_YARN)).toMatch(
      /expects yarn, and found was pnpm, because of pnpm-lock\.yaml\. Commit the yarn\.lock .* remove pnpm-lock\.yaml/,
    );
    expect(said('yarn install --frozen-lockfile', ONLY_ALLOW_NPM)).toMatch(
      /expects npm, and found was yarn, because of yarn\.lock\. Commit the package-lock\.json .* remove yarn\.lock\.$/,
    );
  });

  it('is named with the field to add to package.json if there is no lock file', () => {
    expect(said(NPM_INSTALL, ONLY_ALLOW_PNPM)).toMatch(
      /^the project expects pnpm, and found was npm\. Add "packageManager": "pnpm@\d+\.\d+\.\d+" to package\.json\.$/,
    );
    expect(said('bun install', ONLY_ALLOW_NPM)).toBe(
      'the project expects npm, and found was bun. Commit the package-lock.json that npm install writes.',
    );
  });

  it.each([
    ['pnpm', 'pnpm install --frozen-lockfile', PNPM_OTHER, 'yarn'],
    ['Corepack', NPM_CI, COREPACK, 'pnpm'],
    ['npm with devEngines', NPM_CI, DEV_ENGINES, 'pnpm'],
    ['Yarn 1', NPM_CI, YARN_VERSION.replace('yarn@', 'pnpm@'), 'pnpm'],
  ])('is recognized after the output of %s', (_tool, command, output, expected) => {
    expect(said(command, output)).toContain(`the project expects ${expected}, and found was ${command.split(' ')[0]}`);
  });

  it('is named with the install command if the project has its own', () => {
    expect(said('npm install --force', ONLY_ALLOW_PNPM)).toBe(
      'the project expects pnpm, and found was npm, by the install command of the project. Change that command to ' +
        'pnpm install.',
    );
    expect(said('./setup.sh', ONLY_ALLOW_PNPM)).toContain('found was another one, by the install command');
  });
});

describe('a version that the project refuses', () => {
  it.each([
    [PNPM_VERSION, 'expected was pnpm 10.2.0, and found was 9.15.9. Set packageManager in package.json to', 'pnpm@10.'],
    [
      PNPM_ENGINE,
      'expected was pnpm >=10.0.0, and found was 9.15.9. Set packageManager in package.json to',
      'pnpm@10.',
    ],
    [YARN_VERSION, 'expected was yarn 4.1.0, and found was 1.22.22. Set packageManager in package.json to', 'yarn@4.'],
    [PNPM_NODE, 'expected was Node >=24, and found was 22.12.0. Set the Node version of the project', 'one that fits.'],
    [
      YARN_ENGINE,
      'expected was Node >=24, and found was 22.12.0. Set the Node version of the project',
      'one that fits.',
    ],
    [NPM_NODE, 'expected was Node 24.x, and found was 22.12.0. Set the Node version of the project', 'one that fits.'],
    [NPM_ENGINE, 'expected was npm please-use-pnpm, and found was 10.9.2.', 'change engines.npm in package.json.'],
  ])('is named with the one that was found, after %j', (output, start, end) => {
    const text = said(NPM_CI, output)!;
    expect(text.startsWith(start)).toBe(true);
    expect(text).toContain(end);
  });
});

describe('an install without such a conflict', () => {
  it.each([
    ['nothing', ''],
    ['the expected package manager', ONLY_ALLOW_NPM],
    ['engines that are no JSON', 'npm error code EBADENGINE\nnpm error notsup Required: {"node":\nActual: {}'],
    ['a version that is no version', NPM_NODE.replace('24.x', '</script>')],
    ['a warning of npm', "npm warn EBADENGINE   required: { node: '>=24' },"],
  ])('is not explained by %s', (_what, output) => {
    expect(said(NPM_CI, output)).toBeNull();
  });

  it('is searched in a time that grows with the output only', () => {
    const starts = [
      'configured to use ',
      'configured to use 1',
      'defines "packageManager": "yarn@',
      'defines "packageManager": "yarn@1',
      'The engine "node" is incompatible with this module. Expected version "',
      'Expected version: ',
      ' ',
      '1',
      'Required: {',
      'Required:   ',
      'Actual: {}',
      'Use "',
    ];
    for (const start of starts) {
      const line = start.repeat(1_000).slice(0, 1_000);
      const startedAt = performance.now();
      said(NPM_CI, `npm error code EBADENGINE\n${`${line}\n`.repeat(99)}`);
      expect(performance.now() - startedAt).toBeLessThan(1_500);
    }
  });
});
