import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { installWithConflicts, installWithout, packageToLeaveOut } from './install-again.js';
import { type InstallEnd } from './install-failure.js';

const end = (change: Partial<InstallEnd> = {}): InstallEnd => ({
  command: 'npm install --include=dev --no-package-lock',
  exitStatus: 1,
  lastLines: ['npm error code 1', 'npm error path /work/source/node_modules/sharp', 'npm error command failed'],
  refused: ['github.com:443'],
  unreachable: [],
  internal: [],
  variables: { target: 'production', isSet: () => false },
  ...change,
});

/** Puts the packages of a project into place, and next to nothing else the one that it is asked for. */
const SMALL_NPM = `#!${process.execPath}
const fs = require('fs');
const put = (path, text) => {
  fs.mkdirSync('node_modules/' + path, { recursive: true });
  fs.writeFileSync('node_modules/' + path + '/index.js', text);
};
const last = process.argv.at(-1);
if (process.argv[2] === 'ci') {
  for (const path of ['sharp', 'gatsby/node_modules/sharp']) put(path, 'throw new Error("no program")');
  put('other', 'module.exports = "other"');
  fs.writeFileSync('node_modules/gatsby/sharp.js', 'module.exports = require("sharp")');
  const found = ['sharp', 'gatsby', 'gatsby/node_modules/sharp', 'other'].map((path) => ['node_modules/' + path, {}]);
  fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(found) }));
} else if (process.argv[2] === 'install') {
  put('color', 'module.exports = "color"');
  put(last.split('@')[0], 'module.exports = ' + JSON.stringify(last) + ' + " with " + require("color")');
}
`;

describe('an install that failed because a script may not reach a host', () => {
  it('is repeated without that script, twice at most', () => {
    expect(packageToLeaveOut(end(), [])).toBe('sharp');
    const scoped = ['npm ERR! path /work/source/node_modules/a/node_modules/@scope/name'];
    expect(packageToLeaveOut(end({ lastLines: scoped }), ['sharp'])).toBe('@scope/name');
    expect(packageToLeaveOut(end(), ['sharp'])).toBeNull();
    expect(packageToLeaveOut(end(), ['one', 'two'])).toBeNull();
  });

  it.each<Partial<InstallEnd>>([
    { refused: [] },
    { command: 'yarn install --immutable' },
    { command: 'npm run my-install' },
    { lastLines: ['npm error code EUSAGE'] },
    { lastLines: ['npm error path /work/source/node_modules/$(reboot)'] },
  ])('is not repeated for another reason: %j', (change) => {
    expect(packageToLeaveOut(end(change), [])).toBeNull();
  });

  it('runs the other scripts, and those of the project', () => {
    expect(installWithout('npm ci --include=dev', ['sqlite3'])).toMatch(
      /^npm ci --include=dev --ignore-scripts && node -e .+ sqlite3 \| xargs -r npm rebuild && npm run --if-present p/,
    );
  });

  it('has a release of sharp that needs no download wherever a package looks for sharp', () => {
    const directory = mkdtempSync(join(tmpdir(), 'install-again-'));
    try {
      mkdirSync(join(directory, 'bin'));
      writeFileSync(join(directory, 'bin/npm'), SMALL_NPM, { mode: 0o755 });
      const env = { PATH: `${join(directory, 'bin')}:${process.env['PATH']!}` };
      const run = (file: string, ...args: string[]): string =>
        execFileSync(file, args, { cwd: directory, env, encoding: 'utf8' });
      run('sh', '-c', installWithout('npm ci --include=dev', ['sharp']));
      const seen = ['sharp', 'gatsby/sharp.js', 'other'].map((name) => `require('${name}')`);
      expect(JSON.parse(run('node', '-p', `JSON.stringify([${seen.join(', ')}])`))).toEqual([
        'sharp@~0.33.5 with color',
        'sharp@~0.33.5 with color',
        'other',
      ]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('is repeated once without regard to versions that exclude each other', () => {
    const lastLines = ['npm error code ERESOLVE'];
    const again = installWithConflicts(end({ lastLines }));
    expect(again).toBe('npm install --include=dev --no-package-lock --legacy-peer-deps');
    expect(installWithConflicts(end({ lastLines, command: again! }))).toBeNull();
    expect(installWithConflicts(end())).toBeNull();
    expect(installWithConflicts(end({ lastLines, command: 'npm run setup' }))).toBeNull();
  });
});
