import { Argument, type Command } from 'commander';
import { completionOf, SHELLS } from '../completion.js';

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'shell to complete commands in').choices(SHELLS))
    .description('print a completion script, for example for: source <(service completion bash)')
    .action((shell: (typeof SHELLS)[number]) => {
      process.stdout.write(completionOf(program, shell));
    });
}
