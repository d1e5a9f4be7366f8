import type { Generation } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';
import { wholeNumber } from '../numbers.js';
import { printable } from '../terminal.js';

const LARGEST_PAGE = 100;

export function addAiGenerations(ai: Command): void {
  ai.command('generations')
    .description('list what models did in the last 90 days, newest first: tokens, cost and outcome, never text')
    .option('--limit <number>', 'how many to list', wholeNumber, 20)
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const all: Generation[] = [];
      if (limit > 0) {
        for await (const generation of service.ai.generations.list({ limit: Math.min(limit, LARGEST_PAGE) })) {
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
