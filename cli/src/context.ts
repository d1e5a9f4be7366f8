import { Service } from '@service/client';
import type { Command } from 'commander';
import { Credentials } from './credentials.js';
import { type Environment, readEnvironment } from './environment.js';
import { NotLoggedIn, UsageError } from './failures.js';

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

  /** @throws {NotLoggedIn} */
  async service(): Promise<Service> {
    const service = await this.serviceIfLoggedIn();
    if (service === undefined) throw new NotLoggedIn(this.url);
    return service;
  }

  /** Returns undefined when neither the environment nor a login provides a key. */
  async serviceIfLoggedIn(): Promise<Service | undefined> {
    const apiKey = this.environment.apiKey ?? (await this.credentials.find(this.url))?.api_key;
    return apiKey === undefined ? undefined : this.serviceWith({ apiKey });
  }

  serviceWith(caller: { apiKey: string } | { sessionToken: string } | { anonymous: true }): Service {
    return new Service({ ...caller, baseUrl: this.url, organization: this.options.org });
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
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
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
