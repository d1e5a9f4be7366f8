import type { Model } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';
import { printable } from '../terminal.js';

export function addAiModels(ai: Command): void {
  ai.command('models')
    .description(
      'list the models that you can call, with their prices in US dollars for 1,000,000 tokens; needs no key',
    )
    .action(async (_options: object, command: Command) => {
      const context = await Context.of(command);
      const models = await context.serviceWith({ anonymous: true }).ai.models.list();
      context.print(models, models.length === 0 ? NONE : tableOf(HEADER, models.map(rowOf)));
    });
}

const HEADER = ['MODEL', 'USD/1M IN', 'USD/1M OUT', 'CONTEXT', 'MAX OUTPUT', 'TAKES', 'GIVES'];
const NONE = 'No models are offered. The operator of the service connects them with MODEL_ROUTER_URL.';

const rowOf = ({ id, pricing, context_length: context, max_output_tokens: most, modalities }: Model): string[] => [
  printable(id),
  pricing.input,
  pricing.output ?? '',
  context === null ? 'unknown' : String(context),
  most === null ? '' : String(most),
  printable(modalities.input.join(', ')),
  printable(modalities.output.join(', ')),
];
