import { Injectable } from '@nestjs/common';
import { type GithubAppSettings, GithubSettings } from '../github.settings.js';
import { Clock } from '../../../platform/time/clock.js';
import { GithubNotConfigured, GithubRefused } from '../github.errors.js';
import { appToken } from './app-token.js';

const TIMEOUT_MS = 15_000;
const LONGEST_WORDS = 200;
const API_VERSION = '2022-11-28';

interface Account {
  readonly id: number;
  readonly login: string;
  readonly type: string;
}

/** An installation of the app, as GitHub returns it. */
export interface RemoteInstallation {
  readonly id: number;
  readonly account: Account;
  readonly suspended_at: string | null;
}

export interface RemoteRepository {
  readonly id: number;
  readonly name: string;
  readonly full_name: string;
  readonly clone_url: string;
  readonly default_branch: string;
}

/** The permissions of an installation token. */
interface TokenOptions {
  readonly repositories?: readonly string[];
  readonly permissions: Readonly<Record<string, 'read' | 'write'>>;
}

interface Request {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly authorization: string;
  readonly body?: object;
}

/** Calls the API of GitHub. It caches nothing: tokens live only as long as their callers hold them. */
@Injectable()
export class GithubClient {
  constructor(
    private readonly settings: GithubSettings,
    private readonly clock: Clock,
  ) {}

  /** @throws {GithubNotConfigured} `integration_not_configured` */
  get app(): GithubAppSettings {
    const { app } = this.settings;
    if (app === undefined) throw new GithubNotConfigured();
    return app;
  }

  /** @throws {GithubNotConfigured} `integration_not_configured` */
  requireConfigured(): void {
    if (this.settings.app === undefined) throw new GithubNotConfigured();
  }

  /** Returns null when the installation is gone, or belongs to another app. */
  installation(installationId: number): Promise<RemoteInstallation | null> {
    return this.find(`/app/installations/${installationId}`, { authorization: this.asApp() });
  }

  /** Returns the installation that can access a repository; null when there is none, or no such repository. */
  installationOf({
    owner,
    name,
  }: {
    owner: string;
    name: string;
  }): Promise<Pick<RemoteInstallation, 'id' | 'suspended_at'> | null> {
    return this.find(`/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/installation`, {
      authorization: this.asApp(),
    });
  }

  /** Creates a token, which GitHub limits to one hour. */
  async installationToken(installationId: number, input: TokenOptions): Promise<string> {
    const { token } = await this.get<{ token: string }>(`/app/installations/${installationId}/access_tokens`, {
      method: 'POST',
      authorization: this.asApp(),
      body: input,
    });
    return token;
  }

  /**
   * Exchanges a code for a token of the person on GitHub, to be revoked with {@link forget}. Returns null when the code
   * is wrong or used.
   */
  async userToken(code: string): Promise<string | null> {
    const { clientId, clientSecret, url } = this.app;
    const answer = await this.send(
      `${url}/login/oauth/access_token`,
      { method: 'POST', body: JSON.stringify({ client_id: clientId, client_secret: clientSecret, code }) },
      { 'content-type': 'application/json' },
    );
    // GitHub answers 200 without a token to a wrong code.
    const { access_token: token } = accepted(answer.status, answer.body) as { access_token?: unknown };
    return typeof token === 'string' ? token : null;
  }

  user(token: string): Promise<Account> {
    return this.get('/user', { authorization: `Bearer ${token}` });
  }

  /** True when the person of the token is an administrator of the GitHub organization. */
  async administers(token: string, organization: string): Promise<boolean> {
    const membership = await this.find<{ state: string; role: string }>(
      `/user/memberships/orgs/${encodeURIComponent(organization)}`,
      { authorization: `Bearer ${token}` },
    );
    return membership?.state === 'active' && membership.role === 'admin';
  }

  async forget(token: string): Promise<void> {
    const { clientId, clientSecret } = this.app;
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    await this.answer(`/applications/${encodeURIComponent(clientId)}/token`, {
      method: 'DELETE',
      authorization: `Basic ${basic}`,
      body: { access_token: token },
    });
  }

  /** Returns null when the account already has a repository of that name. */
  async generate(
    token: string,
    template: string,
    repository: { owner: string; name: string; private: boolean },
  ): Promise<RemoteRepository | null> {
    const { templateOwner } = this.app;
    const { status, body } = await this.answer(
      `/repos/${encodeURIComponent(templateOwner)}/${encodeURIComponent(template)}/generate`,
      {
        method: 'POST',
        authorization: `Bearer ${token}`,
        body: { ...repository, include_all_branches: false },
      },
    );
    if (status === 422 && /already exists/i.test(wordsOf(body))) return null;
    return accepted(status, body) as RemoteRepository;
  }

  /** Returns the commit of a branch; null while the branch does not exist. */
  async branch(token: string, fullName: string, branch: string): Promise<string | null> {
    const found = await this.find<{ object: { sha: string } }>(
      `/repos/${fullName}/git/ref/heads/${encodeURIComponent(branch)}`,
      { authorization: `Bearer ${token}` },
      [404, 409],
    );
    return found?.object.sha ?? null;
  }

  private asApp(): string {
    return `Bearer ${appToken(this.app, this.clock.now())}`;
  }

  private async get<Body>(path: string, request: Request): Promise<Body> {
    const { status, body } = await this.answer(path, request);
    return accepted(status, body) as Body;
  }

  private async find<Body>(
    path: string,
    request: Request,
    absent: readonly number[] = [403, 404],
  ): Promise<Body | null> {
    const { status, body } = await this.answer(path, request);
    return absent.includes(status) ? null : (accepted(status, body) as Body);
  }

  private answer(
    path: string,
    { method = 'GET', authorization, body }: Request,
  ): Promise<{ status: number; body: unknown }> {
    return this.send(
      this.app.apiUrl + path,
      { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
      { authorization, 'x-github-api-version': API_VERSION },
    );
  }

  /** @throws {GithubRefused} `upstream_error` */
  private async send(
    url: string,
    request: { method: string; body?: string },
    headers: Record<string, string>,
  ): Promise<{ status: number; body: unknown }> {
    try {
      const response = await fetch(url, {
        ...request,
        headers: { accept: 'application/json', 'user-agent': 'service-platform', ...headers },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as unknown) };
    } catch (error) {
      throw new GithubRefused(undefined, '', error);
    }
  }
}

function accepted(status: number, body: unknown): unknown {
  if (status >= 200 && status < 300) return body;
  throw new GithubRefused(status, wordsOf(body));
}

/** Joins the message with those of the individual errors. */
function wordsOf(body: unknown): string {
  const { message, errors } = body as { message?: unknown; errors?: unknown };
  const more = Array.isArray(errors)
    ? errors.map((fault) => (typeof fault === 'string' ? fault : (fault as { message?: unknown } | null)?.message))
    : [];
  return [message, ...more]
    .filter((word) => typeof word === 'string')
    .join('; ')
    .slice(0, LONGEST_WORDS);
}
