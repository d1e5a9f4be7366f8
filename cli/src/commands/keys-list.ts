import type { Key } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';

export function addKeysList(keys: Command): void {
  keys
    .command('list')
    .description('list keys, without their secrets')
    .action(async (_options: object, command: Command) => {
      const context = await Context.of(command);
      const all: Key[] = [];
      for await (const key of (await context.service()).keys.list({ limit: 100 })) all.push(key);
      context.print(all, tableOf(['ID', 'NAME', 'KIND', 'STATUS', 'LAST USED', 'EXPIRES'], all.map(rowOf)));
    });
}

function rowOf({ id, name, kind, status, last_used_at, expires_at, exceeds_lifetime_policy }: Key): string[] {
  const ends = expires_at ?? 'never';
  return [
    id,
    name,
    kind,
    status,
    last_used_at ?? 'never',
    exceeds_lifetime_policy === true ? `${ends} (longer than allowed)` : ends,
  ];
}
