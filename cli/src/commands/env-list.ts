import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';
import { type ProjectOption, projectOf, withProject } from '../linked-project.js';

export function addEnvList(env: Command): void {
  withProject(env.command('list'))
    .description('list the environment variables of a project, without their values')
    .action(async (options: ProjectOption, command: Command) => {
      const context = await Context.of(command);
      const { projects } = await context.service();
      const variables = (await projects.env(await projectOf(options))).map(({ name, targets, secret, updated_at }) => ({
        name,
        targets,
        secret,
        updated_at,
      }));
      context.print(
        variables,
        tableOf(
          ['NAME', 'TARGETS', 'SECRET', 'UPDATED'],
          variables.map(({ name, targets, secret, updated_at }) => [
            name,
            targets.join(','),
            secret ? 'yes' : 'no',
            updated_at,
          ]),
        ),
      );
    });
}
