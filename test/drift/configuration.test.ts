import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config } from '../../src/platform/config/config.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { loadSettings, MODULE_SETTINGS } from '../../src/roles/settings.js';
import { configurationPage, environmentExample, settingGroups } from '../support/configuration-page.js';
import { environmentNames } from '../support/environment-names.js';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');

describe('the settings', () => {
  const settings = settingGroups().flatMap((group) => group.settings);

  it('of every module are among those of the service', () => {
    const files = readdirSync(join(PROJECT_ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.settings.ts'),
    );
    const declared = files.flatMap((name) =>
      [...read(join('src', name)).matchAll(/^export class (\w+) extends ModuleSettings/gm)].map(([, found]) => found!),
    );
    expect(declared.length).toBeGreaterThan(10);
    expect(MODULE_SETTINGS.map(({ name }) => name).sort()).toEqual(declared.sort());
  });

  it('have one owner each', () => {
    const names = environmentNames();
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(loadSettings({}).of(Config).role).toBe('all');
  });

  it('tell their unit at the end of their names', () => {
    const suffixes: Readonly<Record<string, string>> = { ms: '_MS', MiB: '_MIB' };
    const wrong = settings.filter(({ name, unit = '' }) => !name.endsWith(suffixes[unit] ?? ''));
    expect(wrong.map(({ name }) => name)).toEqual([]);
    expect(settings.filter(({ name, unit }) => /_MS$|_MIB$/.test(name) && unit === undefined)).toEqual([]);
  });

  it('say what they do, in sentences', () => {
    expect(settings.filter(({ summary }) => !/^[A-Z`].*\.$/.test(summary)).map(({ name }) => name)).toEqual([]);
    expect(settings.filter(({ unset = '' }) => /\.$/.test(unset)).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['docs/configuration.md', configurationPage],
    ['.env.example', environmentExample],
  ])('are what %s tells; UPDATE_CONFIGURATION=1 writes it', (path, text) => {
    if (process.env['UPDATE_CONFIGURATION'] === '1') writeFileSync(join(PROJECT_ROOT, path), text());
    expect(read(path)).toBe(text());
  });
});

describe('.env.example', () => {
  const lines = [...read('.env.example').matchAll(/^# ([A-Z_]+)=(.*)$/gm)];

  it('holds every setting once, and no other', () => {
    expect(lines.map(([, name]) => name)).toEqual(environmentNames());
  });

  it('shows values that the service takes', () => {
    const complete = lines.filter(([, name, value]) => value !== '' && !name!.startsWith('GITHUB_'));
    const environment = Object.fromEntries(complete.map(([, name, value]) => [name!, value!]));
    const secret = 'a-secret-of-the-tests-that-is-long-enough';
    expect(() => loadSettings({ ...environment, API_KEY_PEPPER: secret, SECRETS_KEY: secret })).not.toThrow();
  });

  it('sets nothing by being copied', () => {
    expect(
      read('.env.example')
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#')),
    ).toEqual([]);
  });
});
