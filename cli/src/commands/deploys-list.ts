import type { Deploy, DeployQuery } from '@service/client';
import { type Command, Option } from 'commander';
import { Context, tableOf } from '../context.js';
import { painted } from '../deploy-text.js';
import { type ProjectOption, projectOf, withProject } from '../linked-project.js';
import { wholeNumber } from '../numbers.js';

const LARGEST_PAGE = 100;
const STATES: readonly Deploy['state'][] = [
  'queued',
  'initializing',
  'building',
  'deploying',
  'ready',
  'error',
  'canceled',
  'skipped',
];

interface ListOptions extends ProjectOption, Pick<DeployQuery, 'branch' | 'type' | 'state'> {
  readonly limit: number;
}

export function addDeploysList(deploys: Command): void {
  withProject(deploys.command('list'))
    .description('list the deploys of a project, newest first')
    .option('--branch <branch>', 'only deploys of this branch')
    .addOption(new Option('--type <type>', 'only deploys of this type').choices(['preview', 'production']))
    .addOption(new Option('--state <state>', 'only deploys in this state').choices(STATES))
    .option('--limit <number>', 'how many to list', wholeNumber, 20)
    .action(async ({ limit, branch, type, state, ...options }: ListOptions, command: Command) => {
      const context = await Context.of(command);
      const { projects } = await context.service();
      const found: Deploy[] = [];
      if (limit > 0) {
        const query = { branch, type, state, limit: Math.min(limit, LARGEST_PAGE) };
        for await (const deploy of projects.deploys(await projectOf(options), query)) {
          found.push(deploy);
          if (found.length >= limit) break;
        }
      }
      context.print(
        found,
        tableOf(
          ['ID', 'STATE', 'TYPE', 'BRANCH', 'COMMIT', 'CREATED', 'URL'],
          found.map((deploy) => [
            deploy.id,
            `${painted(context.paint, deploy.state)}${deploy.live ? ' (live)' : ''}`,
            deploy.type,
            deploy.branch,
            deploy.commit?.sha.slice(0, 7) ?? '',
            deploy.created_at,
            deploy.aliases[0] ?? deploy.url,
          ]),
        ),
      );
    });
}
