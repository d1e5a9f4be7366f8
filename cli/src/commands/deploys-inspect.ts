import type { Deploy, DeployEvent } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';
import { painted } from '../deploy-text.js';
import { latestOf } from '../latest-deploy.js';
import { type ProjectOption, withProject } from '../linked-project.js';
import type { Paint } from '../terminal.js';

export function addDeploysInspect(deploys: Command): void {
  withProject(deploys.command('inspect'))
    .argument('[deploy-id]', 'deploy to show (default: the latest of the project)')
    .description('print a deploy: its state, addresses, commit, times and events')
    .action(async (id: string | undefined, options: ProjectOption, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const deploy = id === undefined ? await latestOf(service, options) : await service.deploys.get(id);
      const events = await service.deploys.events(deploy.id);
      context.print({ ...deploy, events }, [factsOf(deploy, context.paint), eventsOf(events)].join('\n'));
    });
}

function factsOf(deploy: Deploy, paint: Paint): string {
  const { commit, output, error, phase_ms: phases } = deploy;
  const facts: [string, string | undefined][] = [
    ['id', deploy.id],
    ['state', `${painted(paint, deploy.state)}${deploy.live ? ' (live)' : ''}`],
    ['type', deploy.type],
    ['branch', deploy.branch],
    ['commit', commit && `${commit.sha} ${commit.message}`.trim()],
    ['url', deploy.url],
    ['aliases', deploy.aliases.join(' ') || undefined],
    ['output', output && `${output.framework}, ${output.kind}, ${output.files} files, ${output.bytes} bytes`],
    ['same as', deploy.same_as],
    ['error', error && `${error.code}: ${error.message}`],
    ['created', deploy.created_at],
    ['finished', deploy.finished_at],
    [
      'phases',
      Object.entries(phases)
        .map(([phase, ms]) => `${phase} ${ms} ms`)
        .join(', ') || undefined,
    ],
  ];
  const known = facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
  return known.map(([name, value]) => `${paint.bold(name.padEnd(8))}  ${value}`).join('\n');
}

function eventsOf(events: readonly DeployEvent[]): string {
  return `\n${tableOf(
    ['AT', 'EVENT', 'ATTEMPT'],
    events.map(({ at, kind, to, attempt }) => [at, to ?? kind, String(attempt)]),
  )}`;
}
