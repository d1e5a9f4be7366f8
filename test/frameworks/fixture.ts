import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FIXTURES = join(__dirname, 'fixtures');

/** A project that is pushed as it is, and what it has to answer then. */
export interface Fixture {
  /** The name of its directory. */
  readonly name: string;
  /** The preset that has to be detected. */
  readonly framework: string;
  /** The package whose version says what was tested. */
  readonly package?: string;
  /** The version that was tested, for a fixture without a package.json. */
  readonly version?: string;
  /** What runs it, whose version is noted for a preset that is no framework. Files need nothing that runs them. */
  readonly runtime?: 'node' | 'python' | 'none';
  /** It installs from an index of Python packages, without which it is left out. */
  readonly index?: 'python';
  /** The public starter that its files come from, with the version. */
  readonly source: string;
  readonly licence: string;
  /** What differs from that starter. */
  readonly changed?: string;
  /** The directory of its files, relative to that of the fixture. */
  readonly files?: string;
  /** Settings of the project, in the form of the API. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly kind?: 'static' | 'server';
  /** A text of the front page. */
  readonly shows?: string;
  /** A page that is not the front page, and is reloaded. */
  readonly deepLink?: { readonly path: string; readonly shows: string };
  /** An address that answers JSON. */
  readonly api?: { readonly path: string; readonly answers: unknown };
  /** The status of an address that leads nowhere. It is 200 for apps that decide on addresses in the browser. */
  readonly missing?: 200 | 404;
  /** The project cannot be served, and the error of its deploy says why. */
  readonly refused?: { readonly code: string; readonly says: string };
  /** It is one of the few that CI builds. */
  readonly short?: boolean;
}

export interface Selection {
  /** Names of fixtures or presets, separated by commas. */
  readonly names?: string | undefined;
  readonly short: boolean;
}

/** @throws {Error} when a name is neither that of a fixture nor of a preset. */
export function selectedFixtures({ names, short }: Selection): Fixture[] {
  // A fixture without a description belongs to a test of its own.
  const described = readdirSync(FIXTURES).filter((name) => existsSync(join(FIXTURES, name, 'fixture.json')));
  const all = described.sort().map(fixtureOf);
  if (names === undefined || names === '') return short ? all.filter((fixture) => fixture.short === true) : all;
  const wanted = names.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !all.some((fixture) => fixture.name === name || fixture.framework === name));
  if (unknown.length > 0) throw new Error(`No fixture has the name or the framework ${unknown.join(', ')}.`);
  return all.filter(({ name, framework }) => wanted.includes(name) || wanted.includes(framework));
}

const fixtureOf = (name: string): Fixture => ({
  ...(JSON.parse(readFileSync(join(FIXTURES, name, 'fixture.json'), 'utf8')) as Omit<Fixture, 'name'>),
  name,
});

export function filesOf({ name, files = 'files' }: Fixture): string {
  const directory = join(FIXTURES, name, files);
  if (!existsSync(directory)) throw new Error(`The fixture ${name} has no directory ${files}.`);
  return directory;
}

/** The range of versions of {@link Fixture.package}, or null when the fixture has no such package. */
export function rangeOf(fixture: Fixture): string | null {
  const manifest = join(filesOf(fixture), fixture.settings?.['root_directory'] ?? '', 'package.json');
  if (fixture.package === undefined || !existsSync(manifest)) return null;
  const { dependencies, devDependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as Partial<
    Record<'dependencies' | 'devDependencies', Record<string, string>>
  >;
  return { ...devDependencies, ...dependencies }[fixture.package] ?? null;
}
