import { type Command, Option } from 'commander';
import { Context } from '../context.js';

interface CreateOptions {
  readonly template?: 'nextjs' | 'expo' | 'ai-chat';
}

export function addRepositoriesCreate(repositories: Command): void {
  repositories
    .command('create')
    .argument('<name>', 'name of the repository, which is part of its address')
    .description(
      'create a repository and print only its address to standard output; clone it with an API key as the password',
    )
    .addOption(
      new Option('--template <template>', 'template for its first commit (default: none)').choices([
        'nextjs',
        'expo',
        'ai-chat',
      ]),
    )
    .action(async (name: string, options: CreateOptions, command: Command) => {
      const context = await Context.of(command);
      const repository = await (await context.service()).repositories.create({ name, ...options });
      context.note(`Created ${repository.name} (${repository.id}).`);
      context.print(repository, repository.repo_url);
    });
}
