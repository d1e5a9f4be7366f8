import { buildFailure, type InstallEnd, installFailure } from './install-failure.js';

const messageOf = (end: Partial<InstallEnd>): string => {
  const { code, message } = installFailure({
    command: 'npm ci',
    exitStatus: 1,
    lastLines: [],
    refused: [],
    unreachable: [],
    internal: [],
    variables: { target: 'production', isSet: () => false },
    ...end,
  });
  expect(code).toBe('install_failed');
  return message.replace('Installing packages failed: ', '').replace(' See /docs/builds#packages.', '');
};

describe('the reason why packages were not installed', () => {
  it.each([
    ['npm error code EUSAGE', 'package-lock.json', 'npm install'],
    ['npm error aliases: clean-install, ic, install-clean', 'package-lock.json', 'npm install'],
    [' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"', 'pnpm-lock.yaml', 'pnpm install'],
    ['➤ YN0028: │ The lockfile would have been modified by this install', 'yarn.lock', 'yarn install'],
    [
      'error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.',
      'yarn.lock',
      'yarn install',
    ],
    ['error: lockfile had changes, but lockfile is frozen', 'bun.lock', 'bun install'],
  ])('after %j is an old lock file', (line, file, command) => {
    expect(messageOf({ lastLines: ['before', line, 'after'], unreachable: ['x:443'] })).toBe(
      `${file} does not match package.json. Run ${command} on your machine, and commit ${file}.`,
    );
  });

  it.each([
    ['npm error code EINTEGRITY', /another hash/],
    ['npm error code E404', /does not have a package/],
    ['npm error code E401', /refused a package/],
    ['npm error code ERESOLVE', /exclude each other.+legacy-peer-deps=true/],
    ['npm error gyp ERR! build error', /native code could not be compiled/],
    ['npm error gyp ERR! find Python', /native code needs Python, .* operator to install python3, make and g\+\+\.$/],
    ['npm error gyp ERR! stack Error: not found: make', /native code needs make,/],
    ['npm error make: g++: No such file or directory', /native code needs g\+\+,/],
    ['npm error code E503', /^the registry answered with its own error 503, .* in \.npmrc\.$/],
    [' ERR_PNPM_FETCH_502  GET https://registry.npmjs.org/a: Bad Gateway - 502', /its own error 502/],
    ['➤ YN0035: │   Response Code: 500 (Internal Server Error)', /its own error 500/],
    ['error Error: https://registry.yarnpkg.com/a: Request failed "504 Gateway Timeout"', /its own error 504/],
    [
      'ERROR: No matching distribution found for django<6.1,>=6.0',
      /^the package index has no release of django<6\.1,>=6\.0 for the Python .* framework to docker/,
    ],
    ['ERROR: HTTP error 503 while getting https://pypi.org/a.whl', /its own error 503/],
  ])('after %j is its own sentence', (line, sentence) => {
    expect(messageOf({ lastLines: [line] })).toMatch(sentence);
  });

  it('names the hosts that were not reached', () => {
    expect(messageOf({ internal: ['registry.npmjs.org:443'], lastLines: ['npm error code E403'] })).toMatch(
      /^registry\.npmjs\.org:443 leads to an address that is not public, .+ add it to BUILD_ALLOWED_HOSTS\.$/,
    );
    expect(messageOf({ unreachable: ['npm.internal:443'], lastLines: ['npm error code E404'] })).toMatch(
      /^npm\.internal:443 could not be reached\. .+ If it is a registry of your own, check its address in \.npmrc\.$/,
    );
    const lacking = 'npm error 404 Not Found - GET https://registry.npmjs.org/@acme%2fui - Not found';
    for (const unreachable of [[], ['fonts.googleapis.com:443']])
      expect(messageOf({ unreachable, lastLines: ['npm error code E404', lacking] })).toMatch(
        /^registry\.npmjs\.org has no package @acme\/ui\. Correct its name in package\.json, or publish it\. .+ token/,
      );
    expect(messageOf({ unreachable: ['registry.npmjs.org:443'], lastLines: [lacking] })).toMatch(
      /could not be reached/,
    );
    expect(
      messageOf({ lastLines: [' ERR_PNPM_FETCH_404  GET https://npm.acme.com/left-padd: Not Found - 404'] }),
    ).toMatch(/^npm\.acme\.com has no package left-padd\. /);
    const command = 'install-python-packages requirements.txt gunicorn==26.2.0';
    expect(messageOf({ unreachable: ['pypi.org:443'], command })).toMatch(
      /check its address in the variable PIP_INDEX_URL/,
    );
    expect(messageOf({ refused: ['a:443', 'b:443', 'c:443', 'd:443'] })).toMatch(
      /^a package downloads from a:443, b:443, c:443 and 1 more, .+ build_network to open/,
    );
    const refused = ['github.com:443'];
    const lastLines = ['sharp: Downloading https://github.com/lovell/sharp-libvips/releases/x.tar.br'];
    expect(messageOf({ refused, lastLines })).toMatch(
      /^sharp downloads from github\.com:443, .+ Use sharp 0\.33 or later, which needs no download, or set build_/,
    );
    const mirror = ['error Error: https://mirror.example/a/-/a-1.0.0.tgz: tunneling socket could not be opened'];
    expect(messageOf({ refused: ['mirror.example:443'], lastLines: mirror })).toMatch(
      /^the lock file takes packages from mirror\.example, .+ Replace that address in the lock file by registry\.npmjs/,
    );
    expect(messageOf({ refused, lastLines: mirror })).toMatch(/^a package downloads from github\.com/);
    expect(messageOf({ refused, lastLines: ['gyp ERR! cwd /work/source/node_modules/node-sass'] })).toMatch(
      /^node-sass downloads from .+ Use sass in its place, which needs no download, or set build_network/,
    );
  });

  it('is the exit status of the command if nothing else is known', () => {
    expect(messageOf({})).toBe('npm ci exited with 1. The log shows why.');
    expect(messageOf({ exitStatus: null })).toBe('npm ci exited with a signal. The log shows why.');
  });
});

describe('the reason why a build failed', () => {
  const NOTHING_LOST = { refused: [], unreachable: [], internal: [] };

  it('names the hosts that did not answer', () => {
    const end = { command: 'next build', exitStatus: 1, lastLines: [], ...NOTHING_LOST };
    const variables = { target: 'production' as const, isSet: () => false };
    expect(buildFailure({ ...end, unreachable: ['fonts.googleapis.com:443'], variables }).message).toMatch(
      /exited with 1\. It could not reach fonts\.googleapis\.com:443\. Deploy again .+ ask the operator/,
    );
  });

  it.each([
    '  x Missing `packageManager` field in package.json',
    '  `-> Missing `devEngines.packageManager` or legacy `packageManager` field',
  ])('is the missing package manager of Turborepo after %j', (line) => {
    const end = { command: 'turbo run build', exitStatus: 1, lastLines: ['x', line], ...NOTHING_LOST };
    const variables = { target: 'production' as const, isSet: () => false };
    expect(buildFailure({ ...end, variables }).message).toContain(
      'The build failed: Turborepo needs the package manager in package.json. Add "packageManager", such as ' +
        '"packageManager": "npm@11.0.0", and commit it.',
    );
  });
});
