import { type Command, Option } from 'commander';
import { Context } from '../context.js';

interface CreateOptions {
  readonly template?: 'nextjs' | 'expo';
}

export function addRepositoriesCreate(repositories: Command): void {
  repositories
    .command('create')
    .argument('<name>', 'a part of its address')
    .description(
      'create a repository; its address is printed alone on standard output, to be cloned with an API key as the password',
    )
    .addOption(new Option('--template <template>', 'what it begins with (default: empty)').choices(['nextjs', 'expo']))
    .action(async (name: string, options: CreateOptions, command: Command) => {
      const context = await Context.of(command);
      const repository = await (await context.service()).repositories.create({ name, ...options });
      context.note(`Created ${repository.name} (${repository.id}).`);
      context.print(repository, repository.repo_url);
    });
}
