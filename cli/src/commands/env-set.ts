import { text } from 'node:stream/consumers';
import type { EnvTarget } from '@service/client';
import type { Command } from 'commander';
import { Context } from '../context.js';
import { ENV_TARGETS, targetsOption } from '../env-targets.js';
import { UsageError } from '../failures.js';
import { type ProjectOption, projectOf, withProject } from '../linked-project.js';
import { Prompt } from '../prompt.js';

interface SetOptions extends ProjectOption {
  readonly target?: EnvTarget[];
  readonly secret: boolean;
}

export function addEnvSet(env: Command): void {
  withProject(env.command('set'))
    .argument('<name>', 'name of the variable')
    .description('set a variable; its value is read from standard input, or asked for on a terminal')
    .addOption(targetsOption('the deploys that get it (default: all targets)'))
    .option('--no-secret', 'let the value be read again, for example by `env pull`')
    .action(async (name: string, { target = [...ENV_TARGETS], secret, ...options }: SetOptions, command: Command) => {
      // Every user of the machine can read the arguments of a process.
      if (name.includes('='))
        throw new UsageError('A value is never an argument. Pass only the name, and pipe the value to the command.');
      const context = await Context.of(command);
      const { projects } = await context.service();
      const project = await projectOf(options);
      const variable = { name, targets: [...new Set(target)], secret };
      await projects.setEnv(project, [{ ...variable, value: await readValue(name) }]);
      context.print(variable, `${name} is set for ${variable.targets.join(', ')}.`);
    });
}

/** A line break at the end belongs to the shell or the editor, not to the value. */
async function readValue(name: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, '');
  const prompt = new Prompt();
  try {
    return await prompt.askSecret(`Value of ${name}: `);
  } finally {
    prompt.close();
  }
}
