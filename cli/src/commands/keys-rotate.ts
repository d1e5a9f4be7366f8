import type { Command } from 'commander';
import { Context } from '../context.js';
import { wholeNumber } from '../numbers.js';
import { printSecret } from './print-secret.js';

export function addKeysRotate(keys: Command): void {
  keys
    .command('rotate')
    .argument('<key-id>')
    .description('create a new secret for a key; it is shown once')
    .option('--grace-seconds <seconds>', 'how long the old secret keeps working, at most 604800', wholeNumber, 0)
    .action(async (keyId: string, { graceSeconds }: { graceSeconds: number }, command: Command) => {
      const context = await Context.of(command);
      const key = await (await context.service()).keys.rotate(keyId, { grace_seconds: graceSeconds });
      // Without the new secret, a key that rotates itself would lock this machine out.
      const own = await context.credentials.find(context.url);
      if (own?.key_id === key.id) await context.credentials.save(context.url, { ...own, api_key: key.secret });
      printSecret(context, key);
    });
}
