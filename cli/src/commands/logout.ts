import { AuthenticationError, NotFoundError } from '@service/client';
import type { Command } from 'commander';
import { Context } from '../context.js';
import type { StoredKey } from '../credentials.js';

export function addLogout(program: Command): void {
  program
    .command('logout')
    .description('revoke the key that login created, and forget it')
    .action(async (_options: object, command: Command) => {
      const context = await Context.of(command);
      const key = await context.credentials.find(context.url);
      if (key !== undefined) {
        await revokeCreatedKey(context, key);
        await context.credentials.remove(context.url);
      }
      context.print(
        { url: context.url, was_logged_in: key !== undefined },
        key === undefined ? `You were not logged in at ${context.url}.` : `You are logged out at ${context.url}.`,
      );
    });
}

/** A key that the user provided is not revoked. A key that cannot be revoked is reported, and forgotten as well. */
export async function revokeCreatedKey(context: Context, key: StoredKey): Promise<void> {
  if (!key.minted) return;
  try {
    await context.serviceWith({ apiKey: key.api_key }).keys.revoke(key.key_id);
  } catch (error) {
    if (error instanceof AuthenticationError || error instanceof NotFoundError) return;
    process.stderr.write(`The key ${key.key_id} could not be revoked. Run "service keys revoke ${key.key_id}".\n`);
  }
}
