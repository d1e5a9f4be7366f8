import type { AgentMemory, MemoryBlock } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';
import { wholeNumber } from '../numbers.js';
import { shortened } from '../run-text.js';
import { printableLines } from '../terminal.js';

const AGENT = ['<agent>', 'id or slug of the agent'] as const;

/** Adds the commands for the memory of agents. */
export function addAgentsMemory(agents: Command): void {
  const memory = agents.command('memory').description('read and change what an agent remembers');
  memory
    .command('list')
    .argument(...AGENT)
    .argument('[query]', 'search for these words (default: the newest)')
    .description('list or search the memories of an agent')
    .option('--limit <number>', 'how many to print', wholeNumber, 20)
    .action(async (agent: string, query: string | undefined, { limit }: { limit: number }, command: Command) => {
      const context = await Context.of(command);
      const found: AgentMemory[] = [];
      const { memories } = (await context.service()).agents;
      for await (const each of memories.list(agent, { limit: Math.min(limit, 100), query })) {
        if (found.length < limit) found.push(each);
        else break;
      }
      const rows = found.map(({ id, text, tags, created_at: at }) => [id, at, tags.join(','), shortened(text)]);
      context.print(found, tableOf(['ID', 'CREATED', 'TAGS', 'TEXT'], rows));
    });
  memory
    .command('add')
    .argument(...AGENT)
    .argument('<text>', 'what to remember')
    .description('add a memory that the runs of an agent can recall')
    .option('--tag <tag...>', 'tags of the memory')
    .action(async (agent: string, text: string, { tag = [] }: { tag?: string[] }, command: Command) => {
      const context = await Context.of(command);
      const added = await (await context.service()).agents.memories.create(agent, { text, tags: tag });
      context.print(added, added.id);
    });
  memory
    .command('rm')
    .argument(...AGENT)
    .argument('<memory-id>', 'id of the memory')
    .description('delete a memory')
    .action(async (agent: string, id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      await (await context.service()).agents.memories.delete(agent, id);
      context.print({ id, deleted: true }, `${id} is deleted.`);
    });
  addBlocks(memory);
}

function addBlocks(memory: Command): void {
  memory
    .command('blocks')
    .argument(...AGENT)
    .description('print the memory blocks of an agent, which every run sees')
    .action(async (agent: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const blocks = await (await context.service()).agents.blocks.list(agent);
      context.print(blocks, blocks.map((block) => blockText(context, block)).join('\n\n'));
    });
  memory
    .command('set-block')
    .argument(...AGENT)
    .argument('<label>', 'label of the block')
    .argument('<value>', 'its new text')
    .description('replace the text of a memory block')
    .option('--version-number <number>', 'only if the block still has this version', wholeNumber)
    .action(async (agent: string, label: string, value: string, options: BlockOptions, command: Command) => {
      const context = await Context.of(command);
      const { blocks } = (await context.service()).agents;
      const current = (await blocks.list(agent)).find((block) => block.label === label);
      const version = options.versionNumber ?? current?.version ?? 1;
      const block = await blocks.set(agent, label, { value, version });
      context.print(block, `${block.label} has version ${block.version}.`);
    });
}

interface BlockOptions {
  readonly versionNumber?: number;
}

const blockText = ({ paint }: Context, { label, description, version, value, tainted }: MemoryBlock): string =>
  [
    `${paint.bold(label)} ${paint.dim(`version ${version}${tainted ? ', written after untrusted text' : ''}`)}`,
    ...(description == null ? [] : [paint.dim(printableLines(description))]),
    printableLines(value),
  ].join('\n');
