import { Injectable } from '@nestjs/common';
import { type GithubAppSettings, GithubSettings } from '../github.settings.js';
import { Clock } from '../../../platform/time/clock.js';
import { GithubBusy, GithubNotConfigured, GithubRefused } from '../github.errors.js';
import { appToken } from './app-token.js';

const TIMEOUT_MS = 15_000;
const LONGEST_WORDS = 200;
const LEAST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 3_600_000;
const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308]);
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

/** The status of a commit, by the names of GitHub. A later one with the same context replaces it. */
export interface CommitStatus {
  readonly state: 'pending' | 'success' | 'failure' | 'error';
  readonly context: string;
  readonly description: string;
  readonly target_url: string;
}

/** The permissions of an installation token. */
interface TokenOptions {
  readonly repositories?: readonly string[];
  readonly permissions: Readonly<Record<string, 'read' | 'write'>>;
}

interface Request {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
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

  async createStatus(
    token: string,
    { fullName, sha }: { fullName: string; sha: string },
    status: CommitStatus,
  ): Promise<void> {
    await this.get(`/repos/${fullName}/statuses/${sha}`, {
      method: 'POST',
      authorization: `Bearer ${token}`,
      body: status,
    });
  }

  /** Returns the numbers of the open pull requests from a branch of the repository itself. */
  async openPulls(token: string, fullName: string, branch: string): Promise<number[]> {
    const [owner = ''] = fullName.split('/');
    const query = new URLSearchParams({ state: 'open', head: `${owner}:${branch}`, per_page: '5' });
    const pulls = await this.get<{ number: number; head: { ref: string } }[]>(
      `/repos/${fullName}/pulls?${query.toString()}`,
      { authorization: `Bearer ${token}` },
    );
    // GitHub ignores a filter that it cannot read.
    return pulls.filter(({ head }) => head.ref === branch).map(({ number }) => number);
  }

  /** Returns the id of the first comment that begins with the mark, among the first hundred; else null. */
  async findComment(
    token: string,
    { fullName, pull }: { fullName: string; pull: number },
    mark: string,
  ): Promise<number | null> {
    const comments = await this.get<{ id: number; body?: string }[]>(
      `/repos/${fullName}/issues/${pull}/comments?per_page=100`,
      { authorization: `Bearer ${token}` },
    );
    return comments.find(({ body }) => body?.startsWith(mark) === true)?.id ?? null;
  }

  async createComment(
    token: string,
    { fullName, pull }: { fullName: string; pull: number },
    body: string,
  ): Promise<number> {
    const { id } = await this.get<{ id: number }>(`/repos/${fullName}/issues/${pull}/comments`, {
      method: 'POST',
      authorization: `Bearer ${token}`,
      body: { body },
    });
    return id;
  }

  async editComment(
    token: string,
    { fullName, commentId }: { fullName: string; commentId: number },
    body: string,
  ): Promise<void> {
    await this.get(`/repos/${fullName}/issues/comments/${commentId}`, {
      method: 'PATCH',
      authorization: `Bearer ${token}`,
      body: { body },
    });
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
      const response = await fetchWithin(url, {
        ...request,
        headers: { accept: 'application/json', 'user-agent': 'service-platform', ...headers },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      const retryAfterMs = retryAfterOf(response, this.clock.now());
      if (retryAfterMs !== undefined) throw new GithubBusy(response.status, 'rate limit', retryAfterMs);
      return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as unknown) };
    } catch (error) {
      if (error instanceof GithubBusy) throw error;
      throw new GithubRefused(undefined, '', error);
    }
  }
}

/**
 * GitHub leads from the old name of a repository to the new one, and expects the same request there. It is repeated
 * only at the same origin, so that a token goes to nobody else.
 */
async function fetchWithin(url: string, request: RequestInit): Promise<Response> {
  let at = new URL(url);
  for (let left = MAX_REDIRECTS; ; left--) {
    const response = await fetch(at, { ...request, redirect: 'manual' });
    const target = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || target === null) return response;
    await response.body?.cancel();
    const next = new URL(target, at);
    if (next.origin !== at.origin || left === 0) throw new Error(`GitHub led to ${next.origin}.`);
    at = next;
  }
}

/** GitHub answers 403 or 429 to too many calls, with the time or the moment to wait for. */
function retryAfterOf({ status, headers }: Response, now: Date): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const seconds = Number(headers.get('retry-after') ?? NaN);
  if (seconds >= 0) return within(seconds * 1_000);
  if (headers.get('x-ratelimit-remaining') === '0')
    return within(Number(headers.get('x-ratelimit-reset')) * 1_000 - now.getTime());
  return status === 429 ? LEAST_WAIT_MS : undefined;
}

const within = (ms: number): number => Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, Number.isNaN(ms) ? 0 : ms));

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
