import { type Inspection, type PythonProject } from '../plan/inspection.js';
import { isDevServer, isStartFile, scriptRunBy, SERVER_PACKAGES } from './dev-servers.js';

const CONFIG_EXTENSIONS = ['ts', 'mts', 'cts', 'mjs', 'js', 'cjs', 'json', 'toml', 'yml', 'yaml'];

/** The facts about a source in the form in which presets ask for them. */
export class Source {
  private readonly paths: ReadonlySet<string>;
  private readonly falsePages: ReadonlySet<string>;

  constructor(private readonly inspection: Inspection) {
    this.paths = new Set([...inspection.entries, ...inspection.paths]);
    this.falsePages = new Set(inspection.falsePages);
  }

  get entries(): readonly string[] {
    return this.inspection.entries;
  }

  get main(): string | null {
    return this.inspection.manifest?.main ?? null;
  }

  get hasManifest(): boolean {
    return this.inspection.manifest !== null;
  }

  /** The facts about a Python project, or null when the source is none. */
  get python(): PythonProject | null {
    return this.inspection.python;
  }

  /** The command of the process `web` in the Procfile, or null when there is none that runs a server. */
  get webProcess(): string | null {
    const [, command] = /^web:[ \t]*(\S[^\n]{0,1999})$/m.exec(this.inspection.procfile ?? '') ?? [];
    return command === undefined || isDevServer(command) ? null : command.trim();
  }

  uses(...packages: readonly string[]): boolean {
    const { dependencies = {} } = this.inspection.manifest ?? {};
    return packages.some((name) => Object.hasOwn(dependencies, name));
  }

  /** The major version of a package, or null when its range does not name one. */
  majorOf(name: string): number | null {
    const range = this.uses(name) ? this.inspection.manifest!.dependencies[name]! : '';
    const [, major] = /^[\s^~>=v]{0,8}(\d{1,4})(?:\.|$|\s|-)/.exec(range.slice(0, 100)) ?? [];
    return major === undefined ? null : Number(major);
  }

  script(name: string): string | undefined {
    const { scripts = {} } = this.inspection.manifest ?? {};
    return Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  }

  /** True if the file or directory exists. Paths of up to three names are known. */
  has(path: string): boolean {
    return this.paths.has(path);
  }

  /** The paths below a directory, whatever its case, whose names match. An empty name stands for the root directory. */
  filesBelow(directory: string, name: RegExp): string[] {
    const below = directory === '' ? '' : `${directory}/`;
    return [...this.paths].filter(
      (path) => path.toLowerCase().startsWith(below) && name.test(path) && !this.falsePages.has(path),
    );
  }

  /** True when a path of up to three names, in lower case, matches. */
  someFile(path: RegExp): boolean {
    return [...this.paths].some((each) => path.test(each.toLowerCase()));
  }

  /** The name of the configuration file `name` with one of the usual extensions. */
  configFile(name: string): string | null {
    return CONFIG_EXTENSIONS.map((extension) => `${name}.${extension}`).find((file) => this.has(file)) ?? null;
  }

  /** The text of a configuration file, without comments, or an empty text. */
  config(name: string): string {
    return this.text(this.configFile(name) ?? name)
      .replace(/^[ \t]*\/\/.*$/gm, '')
      .slice(0, 65_536);
  }

  text(file: string): string {
    const { configs } = this.inspection;
    return Object.hasOwn(configs, file) ? configs[file]! : '';
  }

  json(file: string): Record<string, unknown> {
    try {
      const value = JSON.parse(this.text(file)) as unknown;
      return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
    } catch {
      return {};
    }
  }

  /** True when the script `start` runs a server that the project has written itself. */
  get startsItsServer(): boolean {
    const start = this.script('start');
    return start !== undefined && !this.runsDevServer(start) && this.uses(...SERVER_PACKAGES);
  }

  /** True for a script that starts a server for development, perhaps by another script: `npm run dev`. */
  runsDevServer(script: string): boolean {
    const other = scriptRunBy(script);
    return (
      isDevServer(script) ||
      isDevServer((other === null ? undefined : this.script(other)) ?? '') ||
      (isStartFile(script) && !this.uses(...SERVER_PACKAGES))
    );
  }
}

/** The text in quotes after a property of a configuration file: `outDir: 'build'`. */
export function propertyOf(config: string, name: string): string | null {
  const [, value] = new RegExp(`\\b${name}\\s{0,8}:\\s{0,8}['"\`]([^'"\`\\n]{1,200})['"\`]`).exec(config) ?? [];
  return value ?? null;
}

/** A directory of a configuration file as a path below the root directory, or null when it leads elsewhere. */
export function directoryIn(config: string, name: string): string | null {
  const value = propertyOf(config, name)
    ?.replace(/^(?:\.\/)+/, '')
    .replace(/\/$/, '');
  return value === undefined || !isBelow(value) ? null : value;
}

/** A path prefix of a configuration file, such as `base: '/shop/'`, without a slash at its end, or null. */
export function baseIn(config: string, name: string): string | null {
  const [, value] = new RegExp(`\\b${name}\\s{0,8}:[^,;{}]{0,100}?['"\`]/([\\w.~/-]{1,100})['"\`]`).exec(config) ?? [];
  const base = value?.replace(/\/$/, '') ?? '';
  return isBelow(base) ? `/${base}` : null;
}

/** True for plain names separated by `/`. */
export const isBelow = (path: string): boolean =>
  path.length <= 200 &&
  !path.startsWith('-') &&
  !/[\\\p{Cc}\p{Cs}]/u.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git');
