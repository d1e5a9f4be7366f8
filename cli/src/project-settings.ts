import type { Project, ProjectChange, ProjectSettings } from '@service/client';
import { Option } from 'commander';
import { tableOf } from './context.js';
import { wholeNumber } from './numbers.js';
import { type Paint, printable } from './terminal.js';

type Setting = keyof ProjectChange & keyof Project;

interface SettingFacts {
  /** The option of the command, without its dashes. */
  readonly option: string;
  readonly takes: string;
  readonly meaning: string;
  /** True if null clears the setting. */
  readonly clearable: boolean;
  /** What a project without the setting shows. By default, that it is detected. */
  readonly unset?: string;
  readonly choices?: readonly string[];
  readonly isNumber?: true;
}

const BY_DEFAULT = 'default of the service';

/** The settings of a project that the command line shows and changes, in the order in which it shows them. */
const SETTINGS: Readonly<Partial<Record<Setting, SettingFacts>>> = {
  name: { option: 'name', takes: 'name', meaning: 'name of the project', clearable: false },
  slug: { option: 'slug', takes: 'slug', meaning: 'name in paths and hosts', clearable: false },
  repo_url: { option: 'repo', takes: 'url', meaning: 'repository to deploy from', clearable: true, unset: 'none' },
  production_branch: {
    option: 'production-branch',
    takes: 'branch',
    meaning: 'branch whose deploys are production deploys',
    clearable: false,
  },
  framework: { option: 'framework', takes: 'framework', meaning: 'framework, see docs/frameworks', clearable: true },
  root_directory: { option: 'root-directory', takes: 'path', meaning: 'directory of the project', clearable: true },
  install_command: {
    option: 'install-command',
    takes: 'command',
    meaning: 'command that installs the dependencies',
    clearable: true,
  },
  build_command: { option: 'build-command', takes: 'command', meaning: 'command that builds', clearable: true },
  output_directory: {
    option: 'output-directory',
    takes: 'path',
    meaning: 'output of the build, below the root directory',
    clearable: true,
  },
  node_version: { option: 'node-version', takes: 'version', meaning: 'major version of Node', clearable: true },
  start_command: {
    option: 'start-command',
    takes: 'command',
    meaning: 'command that starts the server',
    clearable: true,
  },
  health_path: {
    option: 'health-path',
    takes: 'path',
    meaning: 'path that must answer before a deploy goes live',
    clearable: true,
    unset: BY_DEFAULT,
  },
  start_timeout_ms: {
    option: 'start-timeout-ms',
    takes: 'milliseconds',
    meaning: 'how long the server may take to start',
    clearable: true,
    unset: BY_DEFAULT,
    isNumber: true,
  },
  build_network: {
    option: 'build-network',
    takes: 'network',
    meaning: 'what builds may reach: package registries or every public address',
    clearable: true,
    unset: BY_DEFAULT,
    choices: ['registries', 'open'],
  },
};

export const PROJECT_SETTINGS = Object.entries(SETTINGS) as [Setting, SettingFacts][];

const NOT_SET = 'detected in each deploy';

export function optionOf({ option, takes, meaning, choices, isNumber }: SettingFacts): Option {
  const made = new Option(`--${option} <${takes}>`, meaning);
  if (isNumber === true) made.argParser(wholeNumber);
  return choices === undefined ? made : made.choices(choices);
}

/** Lists facts and the settings that the project itself has, one a line. */
export function projectText(paint: Paint, facts: readonly (readonly [string, string])[], project: Project): string {
  const settings = PROJECT_SETTINGS.filter(([name]) => !facts.some(([fact]) => fact === name)).map(
    ([name, { unset = NOT_SET }]) => [name, project[name] ?? paint.dim(unset)] as const,
  );
  const lines = [...facts, ...settings];
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${paint.bold(name.padEnd(width))}  ${value}`).join('\n');
}

/** Lists the settings that builds and servers use, each with its source. */
export function settingsText({ bold, dim }: Paint, project: Project, { settings }: ProjectSettings): string {
  const rows = PROJECT_SETTINGS.map(([name, { unset = NOT_SET }]) => {
    const shown = name in settings ? settings[name as keyof typeof settings] : undefined;
    if (shown === undefined) return [bold(name), String(project[name] ?? dim(unset)), ''];
    const { value, source } = shown;
    const nothing = dim(source === 'unknown' ? 'known after a deploy' : 'none');
    return [bold(name), value === null ? nothing : printable(String(value)), dim(source)];
  });
  return tableOf(['SETTING', 'VALUE', 'SOURCE'], rows);
}
