import type { ExplainedCall, Explanation } from '@service/client';
import { type Command, InvalidArgumentError } from 'commander';
import { Context } from '../context.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly ExplainedCall['method'][];

export function addExplain(program: Command): void {
  program
    .command('explain')
    .argument('<method>', METHODS.join(', '), methodOf)
    .argument('<path>', 'path of the call, such as /api/v1/keys')
    .description('show whether you may make a call, and if not, why and what to do')
    .action(async (method: ExplainedCall['method'], path: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const explanation = await (await context.service()).auth.explain({ method, path });
      context.print(explanation, describe(explanation));
    });
}

function methodOf(text: string): ExplainedCall['method'] {
  const method = METHODS.find((candidate) => candidate === text.toUpperCase());
  if (method === undefined) throw new InvalidArgumentError(`It must be one of ${METHODS.join(', ')}.`);
  return method;
}

function describe({ allowed, refused_by, code, message, fix, required_scopes }: Explanation): string {
  return [
    allowed
      ? 'Allowed.'
      : `Refused by ${refused_by ?? 'the service'}${code === undefined ? '' : ` (${code})`}` +
        (message === undefined ? '.' : `: ${message}`),
    ...(fix === undefined ? [] : [`Fix: ${fix}`]),
    ...(required_scopes.length === 0 ? [] : [`Needs: ${required_scopes.join(', ')}`]),
  ].join('\n');
}
