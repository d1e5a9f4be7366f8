import type { ProjectChange } from '@service/client';
import { type Command, Option } from 'commander';
import { Context } from '../context.js';
import { UsageError } from '../failures.js';
import { PROJECT_ARGUMENT, projectOf } from '../linked-project.js';
import { optionOf, PROJECT_SETTINGS, settingsText } from '../project-settings.js';

type SettingsOptions = Readonly<Record<string, string | number | undefined>> & { readonly clear?: readonly string[] };

const CLEARABLE = PROJECT_SETTINGS.filter(([, { clearable }]) => clearable).map(([, { option }]) => option);

export function addProjectsSettings(projects: Command): void {
  const settings = projects
    .command('settings')
    .argument('[project]', PROJECT_ARGUMENT)
    .description('print the settings of a project and where each comes from; with options, change them first');
  for (const [, facts] of PROJECT_SETTINGS) settings.addOption(optionOf(facts));
  settings
    .addOption(new Option('--clear <setting...>', 'clear these settings').choices(CLEARABLE))
    .action(async (named: string | undefined, options: SettingsOptions, command: Command) => {
      const change = changeOf(options);
      const context = await Context.of(command);
      const service = await context.service();
      const id = await projectOf(named === undefined ? {} : { project: named });
      const isChanged = Object.keys(change).length > 0;
      const project = isChanged ? await service.projects.update(id, change) : await service.projects.get(id);
      const used = await service.projects.settings(project.id);
      context.print({ project, ...used }, settingsText(context.paint, project, used));
    });
}

function changeOf({ clear = [], ...options }: SettingsOptions): ProjectChange {
  const fields = PROJECT_SETTINGS.flatMap(([name, { option }]): [string, string | number | null][] => {
    const value = options[attributeOf(option)];
    if (value !== undefined && clear.includes(option))
      throw new UsageError(`--${option} and --clear ${option} contradict each other. Pass one of them.`);
    return value === undefined ? (clear.includes(option) ? [[name, null]] : []) : [[name, value]];
  });
  return Object.fromEntries(fields);
}

/** Converts to the name under which commander stores the option. */
const attributeOf = (option: string): string =>
  option.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
