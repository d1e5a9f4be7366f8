import type { Agent } from '@service/client';
import type { Command } from 'commander';
import { versionDiff, yamlOf } from '../agent-file.js';
import { Context, tableOf } from '../context.js';
import { wholeNumber } from '../numbers.js';
import { shortened } from '../run-text.js';
import { printableLines } from '../terminal.js';

const AGENT = ['<agent>', 'id or slug of the agent'] as const;

/** Adds the commands that list, show and change agents. */
export function addAgents(agents: Command): void {
  addList(agents);
  addGet(agents);
  addVersions(agents);
  addPromote(agents);
  addState(agents, 'pause', 'paused');
  addState(agents, 'resume', 'active');
  addDelete(agents);
}

function addList(agents: Command): void {
  agents
    .command('list')
    .description('list agents with their states')
    .action(async (_options: object, command: Command) => {
      const context = await Context.of(command);
      const all: Agent[] = [];
      for await (const agent of (await context.service()).agents.list({ limit: 100 })) all.push(agent);
      context.print(all, tableOf(['SLUG', 'NAME', 'STATE', 'VERSION', 'ID'], all.map(rowOf)));
    });
}

const rowOf = ({ slug, name, state, paused_because: because, live_version: live, id }: Agent): string[] => [
  slug,
  shortened(name),
  because == null ? state : `${state} (${because})`,
  String(live),
  id,
];

function addGet(agents: Command): void {
  agents
    .command('get')
    .argument(...AGENT)
    .description('print an agent and its definition as YAML, as "push" takes it')
    .option('--version-number <number>', 'a version (default: the live one)', wholeNumber)
    .action(async (named: string, { versionNumber }: { versionNumber?: number }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const agent = await service.agents.get(named);
      const version = await service.agents.version(agent.id, versionNumber ?? agent.live_version);
      const { id, slug, name, state } = agent;
      context.note(context.notePaint.dim(`${id} · version ${version.number} · ${state}`));
      const head = [`slug: ${slug}`, `name: ${JSON.stringify(name)}`];
      context.print({ ...agent, version }, printableLines([...head, yamlOf(version)].join('\n')));
    });
}

function addVersions(agents: Command): void {
  agents
    .command('versions')
    .argument(...AGENT)
    .argument('[from]', 'number of a version to compare with the next one', wholeNumber)
    .argument('[to]', 'number of the version to compare it with', wholeNumber)
    .description('list the versions of an agent, or show the lines in which two of them differ')
    .action(
      async (named: string, from: number | undefined, to: number | undefined, _options: object, command: Command) => {
        const context = await Context.of(command);
        const { agents: all } = await context.service();
        if (from !== undefined) {
          const [before, after] = [await all.version(named, from), await all.version(named, to ?? from + 1)];
          context.print({ before, after }, versionDiff(context.paint, before, after));
          return;
        }
        const versions = [];
        for await (const version of all.versions(named, { limit: 100 })) versions.push(version);
        const rows = versions.map(({ number, live, models, created_at: at }) => [
          String(number),
          live ? 'live' : '',
          models.join(', '),
          at,
        ]);
        context.print(versions, tableOf(['VERSION', 'LIVE', 'MODELS', 'CREATED'], rows));
      },
    );
}

function addPromote(agents: Command): void {
  agents
    .command('promote')
    .argument(...AGENT)
    .argument('<version>', 'number of the version', wholeNumber)
    .description('make a version live; an older one takes the agent back')
    .action(async (named: string, number: number, _options: object, command: Command) => {
      const context = await Context.of(command);
      const agent = await (await context.service()).agents.promote(named, number);
      context.print(agent, `New runs of ${agent.slug} use version ${agent.live_version}.`);
    });
}

function addState(agents: Command, name: 'pause' | 'resume', state: Agent['state']): void {
  agents
    .command(name)
    .argument(...AGENT)
    .description(name === 'pause' ? 'start no more runs of an agent' : 'let runs of an agent start again')
    .action(async (named: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const agent = await (await context.service()).agents.update(named, { state });
      context.print(agent, `${agent.slug} is ${agent.state}.`);
    });
}

function addDelete(agents: Command): void {
  agents
    .command('delete')
    .argument(...AGENT)
    .description('delete an agent with its secrets and memory, and cancel its runs')
    .option('--yes', 'do not ask')
    .action(async (named: string, options: { yes?: true }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const { id, slug } = await service.agents.get(named);
      await context.confirm(`Delete ${slug} (${id}) with its secrets and memory for good?`, options);
      await service.agents.delete(id);
      context.print({ id, deleted: true }, `${id} is deleted.`);
    });
}
