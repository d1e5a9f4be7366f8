import { dirname, join } from 'node:path';
import { Service } from '@service/client';
import type { Command } from 'commander';
import { Credentials } from './credentials.js';
import { type Environment, readEnvironment } from './environment.js';
import { NotLoggedIn, UsageError } from './failures.js';
import { Prompt } from './prompt.js';
import { paint, type Paint, paintFor, Progress, widthOf } from './terminal.js';

const DEFAULT_URL = 'http://127.0.0.1:3000';

interface GlobalOptions {
  readonly json?: true;
  readonly url?: string;
  readonly org?: string;
}

/** The surroundings of every command: the address of the service, the key, and how to print. */
export class Context {
  private constructor(
    readonly url: string,
    readonly credentials: Credentials,
    private readonly options: GlobalOptions,
    private readonly environment: Environment,
  ) {}

  static async of(command: Command): Promise<Context> {
    const options = command.optsWithGlobals<GlobalOptions>();
    const environment = readEnvironment();
    const credentials = new Credentials(environment.credentialsFile);
    const url = options.url ?? environment.url ?? (await credentials.url()) ?? DEFAULT_URL;
    if (!/^https?:\/\/\S+$/.test(url)) throw new UsageError(`"${url}" is not a URL. Use an http or https URL.`);
    return new Context(withoutTrailingSlashes(url), credentials, options, environment);
  }

  get json(): boolean {
    return this.options.json === true;
  }

  /** The program that opens addresses, where the user has named one. */
  get browser(): string | undefined {
    return this.environment.browser;
  }

  /** A file of this user beside the keys. */
  fileOf(name: string): string {
    return join(dirname(this.environment.credentialsFile), name);
  }

  /** @throws {NotLoggedIn} */
  async service(): Promise<Service> {
    const service = await this.serviceIfLoggedIn();
    if (service === undefined) throw new NotLoggedIn(this.url);
    return service;
  }

  /** Returns undefined when neither the environment nor a login provides a key. */
  async serviceIfLoggedIn(): Promise<Service | undefined> {
    const apiKey = await this.apiKey();
    return apiKey === undefined ? undefined : this.serviceWith({ apiKey });
  }

  /** Returns the key of the environment, or else that of the login. */
  async apiKey(): Promise<string | undefined> {
    return this.environment.apiKey ?? (await this.credentials.find(this.url))?.api_key;
  }

  /** The organization that `--org` names. */
  get organization(): string | undefined {
    return this.options.org;
  }

  serviceWith(caller: { apiKey: string } | { sessionToken: string } | { anonymous: true }): Service {
    return new Service({ ...caller, baseUrl: this.url, organization: this.options.org });
  }

  /** The styles of standard output. JSON has none. */
  get paint(): Paint {
    return this.json ? paint(false) : paintFor(process.stdout, this.environment);
  }

  /** The styles of notes, which go to standard error. */
  get notePaint(): Paint {
    return this.json ? paint(false) : paintFor(process.stderr, this.environment);
  }

  /** A line that shows the progress of the command while it runs. */
  progress(): Progress {
    return new Progress(process.stderr.isTTY && !this.json && !this.environment.dumbTerminal);
  }

  /**
   * Asks before something cannot be undone. `--yes` answers in advance.
   *
   * @throws {UsageError} when the answer is not yes, or when there is no terminal to ask on.
   */
  async confirm(question: string, { yes }: { readonly yes?: true }): Promise<void> {
    if (yes === true) return;
    if (!process.stdin.isTTY)
      throw new UsageError(`${question} Pass --yes to confirm; there is no terminal to ask on.`);
    const prompt = new Prompt();
    try {
      const answer = await prompt.ask(`${question} [y/N] `);
      if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('Nothing was changed.');
    } finally {
      prompt.close();
    }
  }

  /** Prints the result to standard output: as JSON with `--json`, otherwise as text for people. */
  print(result: unknown, text: string): void {
    process.stdout.write(this.json ? `${JSON.stringify(result, undefined, 2)}\n` : `${text}\n`);
  }

  /** Prints to standard error, so that standard output holds only the result. */
  note(text: string): void {
    if (!this.json) process.stderr.write(`${text}\n`);
  }
}

export function tableOf(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => widthOf(row[column]!))));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat(widths[column]! - widthOf(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function withoutTrailingSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end--;
  return url.slice(0, end);
}
