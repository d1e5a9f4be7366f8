import { text } from 'node:stream/consumers';
import type { AgentSecret } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';
import { UsageError } from '../failures.js';
import { Prompt } from '../prompt.js';

const AGENT = ['<agent>', 'id or slug of the agent'] as const;

/** Adds the commands for the secrets of agents. Values are never arguments, and never printed. */
export function addAgentsSecrets(agents: Command): void {
  const secrets = agents.command('secrets').description('manage what tools of an agent send in headers');
  secrets
    .command('list')
    .argument(...AGENT)
    .description('list the secrets of an agent, without values')
    .action(async (agent: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const all: AgentSecret[] = [];
      for await (const secret of (await context.service()).agents.secrets.list(agent)) all.push(secret);
      const rows = all.map(({ name, updated_at: at }) => [name, at]);
      context.print(all, tableOf(['NAME', 'UPDATED'], rows));
    });
  secrets
    .command('set')
    .argument(...AGENT)
    .argument('<name>', 'name of the secret, such as SHOP_TOKEN')
    .description('set a secret; its value is read from standard input, or asked for on a terminal')
    .action(async (agent: string, name: string, _options: object, command: Command) => {
      // Every user of the machine can read the arguments of a process.
      if (name.includes('='))
        throw new UsageError('A value is never an argument. Pass only the name, and pipe the value to the command.');
      const context = await Context.of(command);
      const service = await context.service();
      const secret = await service.agents.secrets.set(agent, name, { value: await readValue(name) });
      context.print(secret, `${name} is set.`);
    });
  secrets
    .command('rm')
    .argument(...AGENT)
    .argument('<name>', 'name of the secret')
    .description('delete a secret')
    .action(async (agent: string, name: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      await (await context.service()).agents.secrets.delete(agent, name);
      context.print({ name, deleted: true }, `${name} is deleted.`);
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
