import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { until } from '../../support/embedded-servers.js';
import { GitClient } from '../../support/git-client.js';
import type { ServiceProcess } from '../../support/service-process.js';

export type Files = Readonly<Record<string, string>>;

export interface Visited {
  readonly status: number;
  readonly text: string;
}

interface Deploy {
  readonly id: string;
  readonly state: string;
  readonly url: string;
  readonly finished_at?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

/** An account with one project, which is deployed by pushing to its repository. */
export class Tenant {
  private readonly git = new GitClient();
  private pushes = 0;

  private constructor(
    private readonly service: ServiceProcess,
    private readonly key: string,
    private readonly project: string,
  ) {}

  static async signUp(service: ServiceProcess, name: string): Promise<Tenant> {
    const username = `${name}-${randomBytes(4).toString('hex')}`;
    const call = callerOf(service.url);
    // Everybody comes from an address of their own: sign-ups are limited by it.
    const from = `198.18.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`;
    const account = await call(
      'POST',
      '/auth/sign-up',
      { username, email: `${username}@example.org`, password: 'a-long-enough-secret' },
      undefined,
      from,
    );
    const { secret } = await call('POST', '/keys', { name: 'key' }, account.session_token);
    const { repo_url: repoUrl } = await call('POST', '/repositories', { name: 'app' }, secret);
    const { id } = await call('POST', '/projects', { name: 'app', repo_url: repoUrl }, secret);
    const tenant = new Tenant(service, secret as string, id as string);
    const address = service.url.replace('//', `//any:${secret}@`) + new URL(repoUrl as string).pathname;
    await tenant.git.run(['clone', '--quiet', address, 'app']);
    return tenant;
  }

  remove(): void {
    this.git.remove();
  }

  call(method: string, path: string, body?: object): Promise<any> {
    return callerOf(this.service.url)(method, path, body, this.key);
  }

  async setSecret(name: string, value: string): Promise<void> {
    await this.call('PUT', `/projects/${this.project}/env`, {
      variables: [{ name, value, secret: true, targets: ['production', 'preview'] }],
    });
  }

  /** Pushes these files and waits until the deploy is over, whatever comes of it. */
  async deploy(files: Files, withinMs: number): Promise<Deploy> {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(this.git.path('app', path)), { recursive: true });
      writeFileSync(this.git.path('app', path), text);
    }
    await this.git.run(['add', '.'], { cwd: 'app' });
    await this.git.run(['commit', '--quiet', '--allow-empty', '-m', `Push ${++this.pushes}`], { cwd: 'app' });
    await this.git.run(['push', '--quiet', 'origin', 'HEAD:main'], { cwd: 'app' });
    let over: Deploy | undefined;
    await until(
      'the deploy is over',
      async () => {
        const deploys = (await this.call('GET', `/projects/${this.project}/deploys`)) as Deploy[];
        over =
          deploys.length >= this.pushes
            ? deploys.find(({ finished_at: end }, index) => index === 0 && end !== undefined)
            : undefined;
        return over !== undefined;
      },
      withinMs,
    );
    return over!;
  }

  /** The options of an API call by this tenant. */
  get headers(): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.key}` };
  }
}

/** What a browser that was led to the deploy by its name would be answered. Status 0: nothing. */
export function visit(
  service: ServiceProcess,
  url: string,
  path = '/',
  headers: Readonly<Record<string, string>> = {},
): Promise<Visited> {
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port: service.appsPort,
      path,
      headers: { host: new URL(url).host, ...headers },
      agent: false as const,
      timeout: 60_000,
    };
    const asked = request(options, (response) => {
      buffer(response).then(
        (body) => {
          resolve({ status: response.statusCode!, text: body.toString() });
        },
        () => {
          resolve({ status: 0, text: '' });
        },
      );
    });
    asked.once('timeout', () => {
      asked.destroy();
    });
    asked.once('error', () => {
      resolve({ status: 0, text: '' });
    });
    asked.end();
  });
}

const callerOf =
  (url: string) =>
  async (method: string, path: string, body?: object, token?: string, from?: string): Promise<any> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(from === undefined ? {} : { 'x-forwarded-for': from }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: any = await response.json();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
