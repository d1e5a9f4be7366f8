import type { Command } from 'commander';
import { Context } from '../context.js';

export function addKeysRevoke(keys: Command): void {
  keys
    .command('revoke')
    .argument('<key-id>')
    .description('revoke a key for good')
    .action(async (keyId: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      await (await context.service()).keys.revoke(keyId);
      context.print({ id: keyId, revoked: true }, `${keyId} is revoked.`);
    });
}
