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

/** What every command works with: where the service is, who calls, and how to print. */
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
    if (!/^https?:\/\/\S+$/.test(url)) throw new UsageError(`"${url}" is no http or https address.`);
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

  /** Undefined when there is no key, neither in the environment nor from a login. */
  async serviceIfLoggedIn(): Promise<Service | undefined> {
    const apiKey = this.environment.apiKey ?? (await this.credentials.find(this.url))?.api_key;
    return apiKey === undefined ? undefined : this.serviceWith({ apiKey });
  }

  serviceWith(caller: { apiKey: string } | { sessionToken: string } | { anonymous: true }): Service {
    return new Service({ ...caller, baseUrl: this.url, organization: this.options.org });
  }

  /** The result: as JSON where that was asked for, else as text for people. */
  print(result: unknown, text: string): void {
    process.stdout.write(this.json ? `${JSON.stringify(result, undefined, 2)}\n` : `${text}\n`);
  }

  /** What is said beside the result. */
  note(text: string): void {
    if (!this.json) process.stderr.write(`${text}\n`);
  }
}

/** Columns of text under headings. */
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
