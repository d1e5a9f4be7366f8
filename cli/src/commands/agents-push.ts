import { type Agent, type AgentVersion, NotFoundError, type Service } from '@service/client';
import type { Command } from 'commander';
import { type AgentFile, readAgentFile, versionDiff } from '../agent-file.js';
import { Context } from '../context.js';

interface PushOptions {
  readonly promote: boolean;
  readonly dryRun?: true;
}

interface Pushed {
  readonly agent: Agent;
  /** The newest version before, and after. */
  readonly before: AgentVersion | undefined;
  readonly after: AgentVersion | undefined;
}

export function addAgentsPush(agents: Command): void {
  agents
    .command('push')
    .argument('[file]', 'YAML file with the slug, the name and the definition of an agent', 'agent.yml')
    .description('create an agent from a file, or update the one with its slug, and show what changed')
    .option('--no-promote', 'do not make a new version live')
    .option('--dry-run', 'check the file and change nothing')
    .action(async (path: string, { promote, dryRun }: PushOptions, command: Command) => {
      const file = await readAgentFile(path);
      const context = await Context.of(command);
      const { agent, before, after } = await push(await context.service(), file, { promote, dryRun: dryRun === true });
      const { slug, live_version: live } = agent;
      if (after !== undefined && after.number !== before?.number)
        context.note(versionDiff(context.notePaint, before, after));
      const number = after?.number ?? live;
      const did = dryRun === true ? 'would have' : number === before?.number ? 'already has' : 'has';
      context.print(agent, `${slug} ${did} version ${number}${number === live ? ', which is live' : ''}.`);
    });
}

async function push(
  service: Service,
  { slug, name, description, ...definition }: AgentFile,
  { promote, dryRun }: { readonly promote: boolean; readonly dryRun: boolean },
): Promise<Pushed> {
  const before = await newest(service, slug);
  const described = description === undefined ? {} : { description };
  const agent =
    before === undefined
      ? await service.agents.create({ name, slug, ...described, ...definition }, { dryRun })
      : await service.agents.update(slug, { name, ...described, ...definition, promote }, { dryRun });
  return { agent, before, after: dryRun ? undefined : await newest(service, agent.id) };
}

/** Returns undefined when there is no such agent. */
async function newest(service: Service, agent: string): Promise<AgentVersion | undefined> {
  try {
    for await (const version of service.agents.versions(agent, { limit: 1 })) return version;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  return undefined;
}
