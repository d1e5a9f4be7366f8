import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { type FlowRequest, type Service, ServiceError, type SignedIn } from '@service/client';
import { type Command, Option } from 'commander';
import { logInByBrowser } from '../browser-login.js';
import { Context } from '../context.js';
import type { StoredKey } from '../credentials.js';
import { UsageError } from '../failures.js';
import { Prompt } from '../prompt.js';
import { revokeCreatedKey } from './logout.js';

/** The service takes names of at most this length. */
const MAX_NAME = 100;

interface BrowserOptions {
  readonly browser?: true;
  readonly passkey?: true;
  /** True without a name. */
  readonly sso?: string | true;
}

interface LoginOptions extends BrowserOptions {
  readonly key?: string;
}

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('log in, and store a key for this machine')
    .option('--key <->', 'store an existing key, which is read from standard input')
    .addOption(new Option('--browser', 'approve the login in a browser').conflicts('key'))
    .addOption(new Option('--passkey', 'approve it in a browser, and sign in there with a passkey').conflicts('key'))
    .addOption(
      new Option('--sso [org-or-email]', 'sign in through the identity provider of your organization').conflicts([
        'key',
        'browser',
        'passkey',
      ]),
    )
    .action(async ({ key, ...options }: LoginOptions, command: Command) => {
      // Every user of the machine can read the arguments of a process.
      if (key !== undefined && key !== '-')
        throw new UsageError('--key takes only "-". Pipe the key to standard input.');
      const context = await Context.of(command);
      const before = await context.credentials.find(context.url);
      const stored = key === undefined ? await createKey(context, options) : await givenKey(context);
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
async function createKey(context: Context, options: BrowserOptions): Promise<StoredKey> {
  const name = `Command line on ${hostname()}`.slice(0, MAX_NAME);
  const { session_token: sessionToken } = await signIn(context, name, options);
  if (sessionToken === undefined) throw new Error('The service answered the sign-in without a session token.');
  const service = context.serviceWith({ sessionToken });
  try {
    const { id, secret } = await service.keys.create({
      name,
      kind: 'personal',
      preset: 'full',
    });
    return { api_key: secret, key_id: id, minted: true };
  } finally {
    // The key exists, so a failure here does not matter: the session expires by itself.
    await service.auth.signOut().catch(() => undefined);
  }
}

async function signIn(
  context: Context,
  clientName: string,
  { browser: inBrowser, passkey, sso }: BrowserOptions,
): Promise<SignedIn> {
  const service = context.serviceWith({ anonymous: true });
  const { browser } = context;
  if (sso !== undefined) {
    const flow = { method: 'sso', ...(await connectionOf(context, sso)) } as const;
    return completed(service, () => logInByBrowser(service, { flow, browser }));
  }
  if (inBrowser === undefined && passkey === undefined) return signInHere(service);
  const flow = { method: 'browser', client_name: clientName, ...(passkey && { hint: 'passkey' as const }) } as const;
  return logInByBrowser(service, { flow, browser });
}

/** What leads to the connection of an organization: an address in one of its domains, or its id or slug. */
async function connectionOf(
  { organization }: Context,
  given: string | true,
): Promise<Pick<FlowRequest, 'email' | 'org'>> {
  const wanted = (given === true ? (organization ?? (await askForConnection())) : given).trim();
  return wanted.includes('@') ? { email: wanted } : { org: wanted };
}

async function askForConnection(): Promise<string> {
  const prompt = new Prompt();
  try {
    return await prompt.ask('Work email or organization: ');
  } finally {
    prompt.close();
  }
}

/** Asks for the password, and for a code where the account has a second factor. */
async function signInHere(service: Service): Promise<SignedIn> {
  const prompt = new Prompt();
  try {
    const login = await prompt.ask('Username or e-mail: ');
    const password = await prompt.askSecret('Password: ');
    return await completed(service, () => service.auth.signIn({ login, password }), prompt);
  } finally {
    prompt.close();
  }
}

/** Asks for a code where the account has a second factor. */
async function completed({ auth }: Service, begin: () => Promise<SignedIn>, given?: Prompt): Promise<SignedIn> {
  try {
    return await begin();
  } catch (error) {
    const token = tokenOf(error);
    if (token === undefined) throw error;
    const prompt = given ?? new Prompt();
    try {
      const code = await prompt.ask('Code of your authenticator app, or a recovery code: ');
      return await auth.secondFactor({ token, code });
    } finally {
      prompt.close();
    }
  }
}

/**
 * Returns the token of a sign-in that a code completes, or undefined for any other error.
 *
 * @throws {UsageError} when the account has only passkeys, which a terminal cannot ask for.
 */
function tokenOf(error: unknown): string | undefined {
  if (!(error instanceof ServiceError) || error.code !== 'second_factor_required') return undefined;
  const { token, methods } = error.details as { token: string; methods: readonly string[] };
  if (methods.some((method) => method !== 'passkey')) return token;
  throw new UsageError('The account has only passkeys, which a terminal cannot ask for. Run service login --passkey.');
}
