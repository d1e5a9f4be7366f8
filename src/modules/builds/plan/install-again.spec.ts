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
    expect(installWithout('npm ci --include=dev', ['sharp'])).toMatch(
      /^npm ci --include=dev --ignore-scripts && node -e .+ sharp \| xargs -r npm rebuild && npm run --if-present p/,
    );
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
