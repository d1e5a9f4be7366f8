import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { EnvTarget } from '@service/client';
import { type Command, Option } from 'commander';
import { Context } from '../context.js';
import { envFileOf } from '../env-file.js';
import { ENV_TARGETS } from '../env-targets.js';
import { UsageError } from '../failures.js';
import { type ProjectOption, projectOf, withProject } from '../linked-project.js';

interface PullOptions extends ProjectOption {
  readonly target: EnvTarget;
  readonly yes?: true;
}

export function addEnvPull(env: Command): void {
  withProject(env.command('pull'))
    .argument('[file]', 'file to write', '.env.local')
    .description('write the variables of a target to a file that only you can read; secrets cannot be read')
    .addOption(
      new Option('--target <target>', 'the target whose variables to write')
        .choices(ENV_TARGETS)
        .default('development'),
    )
    .option('--yes', 'replace a file that exists without asking')
    .action(async (file: string, { target, yes, ...options }: PullOptions, command: Command) => {
      const context = await Context.of(command);
      const { projects } = await context.service();
      const variables = (await projects.env(await projectOf(options))).filter(({ targets }) =>
        targets.includes(target),
      );
      const { text, written, secrets, unwritable } = envFileOf(
        variables,
        `The variables of ${target}, written by "service env pull".`,
      );
      const before = await contentOf(file);
      if (before !== undefined && before !== text)
        await context.confirm(`${file} exists and differs. Replace it?`, yes === undefined ? {} : { yes });
      await replace(file, text);
      if (secrets.length > 0)
        context.note(`Secrets cannot be read, so they are comments in the file: ${secrets.join(', ')}.`);
      if (unwritable.length > 0)
        context.note(`The format of the file cannot hold the values of: ${unwritable.join(', ')}.`);
      context.print({ file, target, written, secrets, unwritable }, `${written.length} variables are in ${file}.`);
    });
}

async function contentOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}. Name another file.`);
  }
}

/** The new file replaces the old one as a whole, and other users can never read it, not even during the write. */
async function replace(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  try {
    await rm(fresh, { force: true });
    await writeFile(fresh, text, { mode: 0o600, flag: 'wx' });
    await rename(fresh, file);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}. Name another file.`);
  }
}
