import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { Context } from '../context.js';
import type { StoredKey } from '../credentials.js';
import { UsageError } from '../failures.js';
import { Prompt } from '../prompt.js';
import { revokeCreatedKey } from './logout.js';

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('log in, and store a key for this machine')
    .option('--key <->', 'store an existing key, which is read from standard input')
    .action(async ({ key }: { key?: string }, command: Command) => {
      // Every user of the machine can read the arguments of a process.
      if (key !== undefined && key !== '-')
        throw new UsageError('--key takes only "-". Pipe the key to standard input.');
      const context = await Context.of(command);
      const before = await context.credentials.find(context.url);
      const stored = key === undefined ? await createKey(context) : await givenKey(context);
      await context.credentials.save(context.url, stored);
      if (before !== undefined && before.key_id !== stored.key_id) await revokeCreatedKey(context, before);
      context.print({ url: context.url, key_id: stored.key_id }, `You are logged in at ${context.url}.`);
    });
}

async function givenKey(context: Context): Promise<StoredKey> {
  const apiKey = (await text(process.stdin)).trim();
  if (apiKey === '') throw new UsageError('Standard input holds no key. Pipe the key to the command.');
  const { id } = await context.serviceWith({ apiKey }).keys.current();
  return { api_key: apiKey, key_id: id, minted: false };
}

/** Creates a key with a session that is ended right after. */
async function createKey(context: Context): Promise<StoredKey> {
  const { session_token: sessionToken } = await context
    .serviceWith({ anonymous: true })
    .auth.signIn(await askCredentials());
  if (sessionToken === undefined) throw new Error('The service answered the sign-in without a session token.');
  const service = context.serviceWith({ sessionToken });
  try {
    const { id, secret } = await service.keys.create({
      name: `Command line on ${hostname()}`,
      kind: 'personal',
      preset: 'full',
    });
    return { api_key: secret, key_id: id, minted: true };
  } finally {
    // The key exists, so a failure here does not matter: the session expires by itself.
    await service.auth.signOut().catch(() => undefined);
  }
}

async function askCredentials(): Promise<{ login: string; password: string }> {
  const prompt = new Prompt();
  try {
    const login = await prompt.ask('Username or e-mail: ');
    const password = await prompt.askSecret('Password: ');
    return { login, password };
  } finally {
    prompt.close();
  }
}
