import type { Generation, GenerationsQuery } from '@service/client';
import { type Command, Option } from 'commander';
import { Context, tableOf } from '../context.js';
import { wholeNumber } from '../numbers.js';
import { printable } from '../terminal.js';

const LARGEST_PAGE = 100;
const OUTCOMES: readonly Generation['outcome'][] = ['succeeded', 'cancelled', 'failed', 'lost'];

interface GenerationsOptions extends Pick<GenerationsQuery, 'model' | 'outcome'> {
  readonly limit: number;
}

export function addAiGenerations(ai: Command): void {
  ai.command('generations')
    .description('list what models did in the last 90 days, newest first: tokens, cost and outcome, never text')
    .option('--model <id>', 'only generations of this model')
    .addOption(new Option('--outcome <outcome>', 'only generations with this outcome').choices(OUTCOMES))
    .option('--limit <number>', 'how many to list', wholeNumber, 20)
    .action(async ({ limit, model, outcome }: GenerationsOptions, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const all: Generation[] = [];
      if (limit > 0) {
        const query = { model, outcome, limit: Math.min(limit, LARGEST_PAGE) };
        for await (const generation of service.ai.generations.list(query)) {
          all.push(generation);
          if (all.length >= limit) break;
        }
      }
      context.print(all, tableOf(HEADER, all.map(rowOf)));
    });
}

const HEADER = ['GENERATION', 'STARTED', 'MODEL', 'IN', 'OUT', 'USD', 'SECONDS', 'OUTCOME'];

const rowOf = ({ id, model, tokens, cost, outcome, created_at: start, finished_at: end }: Generation): string[] => [
  id,
  start,
  printable(model),
  String(tokens.input + tokens.cache_read + tokens.cache_write),
  String(tokens.output),
  cost,
  ((Date.parse(end) - Date.parse(start)) / 1000).toFixed(1),
  outcome,
];
