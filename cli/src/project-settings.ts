import type { Project, ProjectChange } from '@service/client';
import type { Paint } from './terminal.js';

type Setting = keyof ProjectChange & keyof Project;

interface SettingFacts {
  /** The option of the command, without its dashes. */
  readonly option: string;
  readonly takes: string;
  readonly meaning: string;
  /** True if null clears the setting. */
  readonly clearable: boolean;
}

/** The settings of a project that the command line shows and changes, in the order in which it shows them. */
const SETTINGS: Readonly<Partial<Record<Setting, SettingFacts>>> = {
  name: { option: 'name', takes: 'name', meaning: 'name of the project', clearable: false },
  slug: { option: 'slug', takes: 'slug', meaning: 'name in paths and hosts', clearable: false },
  repo_url: { option: 'repo', takes: 'url', meaning: 'repository to deploy from', clearable: true },
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
};

export const PROJECT_SETTINGS = Object.entries(SETTINGS) as [Setting, SettingFacts][];

const NOT_SET = 'detected in each deploy';

/** Lists facts and settings, one a line. */
export function settingsText(paint: Paint, facts: readonly (readonly [string, string])[], project: Project): string {
  const settings = PROJECT_SETTINGS.filter(([name]) => name !== 'slug' || facts.length === 0).map(
    ([name]) => [name, project[name] ?? paint.dim(name === 'repo_url' ? 'none' : NOT_SET)] as const,
  );
  const lines = [...facts, ...settings];
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${paint.bold(name.padEnd(width))}  ${value}`).join('\n');
}
