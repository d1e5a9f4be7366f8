import type { EnvTarget } from '@service/client';
import type { Command } from 'commander';
import { Context } from '../context.js';
import { ENV_TARGETS, targetsOption } from '../env-targets.js';
import { type ProjectOption, projectOf, withProject } from '../linked-project.js';

interface RemoveOptions extends ProjectOption {
  readonly target?: EnvTarget[];
}

export function addEnvRemove(env: Command): void {
  withProject(env.command('rm'))
    .argument('<name>', 'name of the variable')
    .description('remove a variable; one that does not exist is not an error')
    .addOption(targetsOption('remove it from these targets only (default: all targets)'))
    .action(async (name: string, { target, ...options }: RemoveOptions, command: Command) => {
      const context = await Context.of(command);
      const { projects } = await context.service();
      const project = await projectOf(options);
      if (target === undefined) await projects.unsetEnv(project, name);
      else for (const each of new Set(target)) await projects.unsetEnv(project, name, each);
      const targets = target ?? ENV_TARGETS;
      context.print({ name, targets, removed: true }, `${name} is removed from ${targets.join(', ')}.`);
    });
}
