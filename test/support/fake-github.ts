import { spawn } from 'node:child_process';
import { createHash, createHmac, createVerify, generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { GitClient } from './git-client.js';
import type { Answer, TestApp } from './test-app.js';

const APP_ID = '4711';
const CLIENT_ID = 'Iv1.0123456789abcdef';
const CLIENT_SECRET = 'a-client-secret-of-the-fake';
const WEBHOOK_SECRET = 'a-webhook-secret-of-the-fake';
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

export interface FakeAccount {
  readonly id: number;
  readonly login: string;
  readonly type: 'User' | 'Organization';
  /** Set for an organization. */
  readonly admins: Set<string>;
  /** The addresses of a user. */
  emails?: readonly FakeEmail[];
}

interface FakeEmail {
  readonly email: string;
  readonly primary: boolean;
  readonly verified: boolean;
}

/** A code of the sign-in of a user, and what it is bound to. */
interface FakeCode {
  readonly login: string;
  readonly redirectUri?: string;
  readonly challenge?: string;
  readonly scope?: string;
}

interface FakeInstallation {
  readonly id: number;
  readonly account: FakeAccount;
  suspendedAt: string | null;
}

interface FakeRepository {
  readonly id: number;
  readonly owner: FakeAccount;
  name: string;
  readonly private: boolean;
}

interface InstallationToken {
  readonly installationId: number;
  /** The repositories of the token. If undefined, it is valid for all of the installation. */
  readonly repositories: readonly string[] | undefined;
  readonly permissions: Readonly<Record<string, string>>;
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const NOT_FOUND: Reply = { status: 404, body: { message: 'Not Found' } };
const UNAUTHORIZED: Reply = { status: 401, body: { message: 'Bad credentials' } };

/**
 * A fake of the parts of GitHub that the service uses: accounts, an app and its installations, tokens with their
 * permissions, repositories with a real git behind smart HTTP, and signed webhooks.
 */
export class FakeGithub {
  /** All requests except those of git. */
  readonly requests: { readonly method: string; readonly path: string; readonly body: any }[] = [];
  /** All issued tokens. */
  readonly tokens: string[] = [];
  /** Responses for the next requests, regardless of the request. */
  failure: Reply | undefined;
  private readonly directory = mkdtempSync(join(tmpdir(), 'fake-github-'));
  private readonly git = new GitClient();
  private readonly accounts = new Map<string, FakeAccount>();
  private readonly installations = new Map<number, FakeInstallation>();
  private readonly repositories = new Map<string, FakeRepository>();
  /** The user who is signed in with the browser that comes to the page of authorization. */
  visitor: string | undefined;
  private readonly codes = new Map<string, FakeCode>();
  private readonly userTokens = new Map<string, string>();
  private readonly scopes = new Map<string, string>();
  private readonly installationTokens = new Map<string, InstallationToken>();
  readonly statuses: { readonly repository: string; readonly sha: string; readonly body: any }[] = [];
  /** The open pull requests of all repositories. */
  readonly pulls: { readonly repository: string; readonly branch: string; readonly number: number }[] = [];
  readonly comments: { readonly id: number; readonly pull: number; body: string; edits: number }[] = [];
  private count = 1_000;
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });

  /** Starts before the app, which gets the address through `settings`. */
  static use(settings: NodeJS.ProcessEnv): FakeGithub {
    const github = new FakeGithub();
    beforeAll(async () => {
      Object.assign(settings, await github.start());
    });
    afterAll(() => github.stop());
    return github;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  account(login: string, type: 'User' | 'Organization' = 'User', admins: readonly string[] = []): FakeAccount {
    const account = { id: this.count++, login, type, admins: new Set(admins) };
    this.accounts.set(login.toLowerCase(), account);
    return account;
  }

  install(login: string): FakeInstallation {
    const installation = { id: this.count++, account: this.accounts.get(login.toLowerCase())!, suspendedAt: null };
    this.installations.set(installation.id, installation);
    return installation;
  }

  suspend(id: number, at: string | null): void {
    this.installations.get(id)!.suspendedAt = at;
  }

  /** The query with which the browser of this user returns. */
  codeFor(login: string): string {
    const code = randomUUID();
    this.codes.set(code, { login });
    return code;
  }

  /** Lets a user allow the request at this address. Returns the address that the browser is sent back to. */
  authorize(location: string, login: string): string {
    const url = new URL(location);
    const [id, redirectUri, state] = ['client_id', 'redirect_uri', 'state'].map((name) => url.searchParams.get(name)!);
    if (url.origin !== this.url || url.pathname !== '/login/oauth/authorize' || id !== CLIENT_ID)
      throw new Error(`GitHub shows an error at ${location}.`);
    const code = randomUUID();
    const challenge = url.searchParams.get('code_challenge')!;
    this.codes.set(code, { login, redirectUri: redirectUri!, challenge, scope: url.searchParams.get('scope')! });
    return `${redirectUri}?${new URLSearchParams({ code, state: state! }).toString()}`;
  }

  rename(login: string, renamed: string): void {
    const account = this.accounts.get(login.toLowerCase())!;
    this.accounts.delete(login.toLowerCase());
    this.accounts.set(renamed.toLowerCase(), { ...account, login: renamed });
  }

  /** Whether a token of a person still opens anything. */
  get hasUserTokens(): boolean {
    return this.userTokens.size > 0;
  }

  async repository(
    owner: string,
    name: string,
    {
      isPrivate = true,
      files = { 'index.html': `<h1>${name}</h1>` },
    }: { isPrivate?: boolean; files?: Record<string, string> } = {},
  ): Promise<FakeRepository> {
    const repository = { id: this.count++, owner: this.accounts.get(owner.toLowerCase())!, name, private: isPrivate };
    this.repositories.set(keyOf(owner, name), repository);
    await this.git.run(['init', '--quiet', '--bare', '--initial-branch=main', this.pathOf(repository)]);
    await this.commit(repository, 'main', files);
    return repository;
  }

  /** Creates a commit and sends the webhook. */
  async push(
    app: TestApp,
    [owner, name]: readonly [string, string],
    files: Record<string, string>,
    branch = 'main',
  ): Promise<string> {
    const repository = this.repositories.get(keyOf(owner, name))!;
    const sha = await this.commit(repository, branch, files);
    const installation = this.installationOf(repository.owner)!;
    const answer = await this.deliver(app, 'push', {
      ref: `refs/heads/${branch}`,
      after: sha,
      deleted: false,
      repository: this.viewOf(repository),
      installation: { id: installation.id },
    });
    if (answer.status !== 202) throw new Error(`The delivery was answered ${answer.status}: ${answer.text}`);
    return sha;
  }

  deliver(
    app: TestApp,
    event: string,
    payload: object,
    {
      id = randomUUID(),
      secret = WEBHOOK_SECRET,
      sent,
      from,
    }: { id?: string; secret?: string; sent?: string; from?: string } = {},
  ): Promise<Answer> {
    const body = JSON.stringify(payload);
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    return app.call('POST', '/webhooks/github', {
      headers: {
        'content-type': 'application/json',
        'x-github-event': event,
        'x-github-delivery': id,
        'x-hub-signature-256': signature,
        'user-agent': 'GitHub-Hookshot/fake',
      },
      body: sent ?? body,
      ...(from === undefined ? {} : { from }),
    });
  }

  viewOf(repository: FakeRepository): {
    id: number;
    name: string;
    full_name: string;
    private: boolean;
    clone_url: string;
    default_branch: string;
  } {
    const fullName = `${repository.owner.login}/${repository.name}`;
    return {
      id: repository.id,
      name: repository.name,
      full_name: fullName,
      private: repository.private,
      clone_url: `${this.url}/${fullName}.git`,
      default_branch: 'main',
    };
  }

  private async start(): Promise<NodeJS.ProcessEnv> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return {
      GITHUB_APP_ID: APP_ID,
      GITHUB_APP_SLUG: 'fake-app',
      GITHUB_APP_PRIVATE_KEY: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString().replaceAll('\n', '\\n'),
      GITHUB_APP_CLIENT_ID: CLIENT_ID,
      GITHUB_APP_CLIENT_SECRET: CLIENT_SECRET,
      GITHUB_WEBHOOK_SECRET: WEBHOOK_SECRET,
      GITHUB_TEMPLATE_OWNER: 'templates',
      SIGN_IN_GITHUB_CLIENT_ID: CLIENT_ID,
      SIGN_IN_GITHUB_CLIENT_SECRET: CLIENT_SECRET,
      SIGN_IN_GITHUB_URL: this.url,
      SIGN_IN_GITHUB_API_URL: `${this.url}/api`,
      GITHUB_URL: this.url,
      GITHUB_API_URL: `${this.url}/api`,
      GIT_ALLOWED_HOSTS: new URL(this.url).host,
    };
  }

  private async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    this.git.remove();
    rmSync(this.directory, { recursive: true, force: true });
    await Promise.resolve();
  }

  private pathOf({ id }: FakeRepository): string {
    return join(this.directory, `${id}.git`);
  }

  private async commit(repository: FakeRepository, branch: string, files: Record<string, string>): Promise<string> {
    const place = `work-${this.count++}`;
    await this.git.run(['clone', '--quiet', this.pathOf(repository), place]);
    await this.git.run(['checkout', '--quiet', '-B', branch], { cwd: place });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(this.git.path(place, path)), { recursive: true });
      writeFileSync(this.git.path(place, path), text);
    }
    await this.git.run(['add', '.'], { cwd: place });
    await this.git.run(['commit', '--quiet', '--allow-empty', '-m', `Change ${Object.keys(files).join(' ')}`], {
      cwd: place,
    });
    await this.git.run(['push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`], { cwd: place });
    return this.git.run(['rev-parse', 'HEAD'], { cwd: place });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, this.url);
    if (/^\/[^/]+\/[^/]+\/(?:info\/refs|git-upload-pack)$/.test(url.pathname)) {
      this.answerGit(request, response, url);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    if (url.pathname === '/login/oauth/authorize' && this.visitor !== undefined) {
      response.writeHead(302, { location: this.authorize(url.href, this.visitor) }).end();
      return;
    }
    const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
    const body: any = isForm ? Object.fromEntries(new URLSearchParams(text)) : text === '' ? {} : JSON.parse(text);
    this.requests.push({ method: request.method!, path: url.pathname, body });
    const reply =
      this.failure ??
      (await this.reply(
        `${request.method} ${url.pathname.replace(/^\/api\//, '/')}`,
        request.headers.authorization ?? '',
        body,
      ));
    response
      .writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
      .end(reply.body === undefined ? '' : JSON.stringify(reply.body));
  }

  private reply(what: string, authorization: string, body: any): Reply | Promise<Reply> {
    const [, ...parts] = what.split(/[ /]+/);
    const shown = authorization.replace(/^Bearer /, '');
    if (what === 'POST /login/oauth/access_token') return this.exchange(body);
    if (/^DELETE \/applications\/[^/]+\/token$/.test(what)) {
      if (authorization !== `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`)
        return UNAUTHORIZED;
      return this.userTokens.delete(body.access_token as string) ? { status: 204 } : NOT_FOUND;
    }
    if (what === 'GET /user/emails') return this.emailsOf(shown);
    if (what === 'GET /user' || /^GET \/user\/memberships\/orgs\/[^/]+$/.test(what))
      return this.ofUser(this.userTokens.get(shown), parts[3]);
    if (/^POST \/repos\/[^/]+\/[^/]+\/generate$/.test(what))
      return this.generate(this.installationTokens.get(shown), keyOf(parts[1]!, parts[2]!), body);
    if (/^GET \/repos\/[^/]+\/[^/]+\/git\/ref\/heads\//.test(what)) {
      return this.installationTokens.has(shown)
        ? this.branch(this.repositories.get(keyOf(parts[1]!, parts[2]!)), parts[6]!)
        : UNAUTHORIZED;
    }
    const reported = this.replyToReport(what, parts, this.installationTokens.get(shown), body);
    if (reported !== undefined) return reported;
    return isApp(shown) ? this.replyToApp(what, parts, body) : UNAUTHORIZED;
  }

  /** Statuses of commits, and comments on pull requests. Like GitHub, it asks for the permission of each. */
  private replyToReport(
    what: string,
    parts: readonly string[],
    token: InstallationToken | undefined,
    body: any,
  ): Reply | undefined {
    const [method = ''] = what.split(' ');
    const [, owner = '', name = '', kind = '', id = '', sub = ''] = parts;
    if (parts[0] !== 'repos' || !['statuses', 'pulls', 'issues'].includes(kind)) return undefined;
    if (token === undefined) return UNAUTHORIZED;
    if (token.permissions[kind === 'statuses' ? 'statuses' : 'pull_requests'] !== 'write')
      return { status: 403, body: { message: 'Resource not accessible by integration' } };
    const repository = keyOf(owner, name);
    if (kind === 'statuses') {
      this.statuses.push({ repository, sha: id, body });
      return { status: 201, body: {} };
    }
    if (kind === 'pulls')
      return {
        status: 200,
        body: this.pulls
          .filter((pull) => pull.repository === repository)
          .map(({ number, branch }) => ({ number, head: { ref: branch } })),
      };
    if (method === 'PATCH') {
      const comment = this.comments.find((each) => each.id === Number(sub));
      if (comment === undefined) return NOT_FOUND;
      Object.assign(comment, { body: body.body as string, edits: comment.edits + 1 });
      return { status: 200, body: { id: comment.id } };
    }
    if (method === 'GET') return { status: 200, body: this.comments.filter(({ pull }) => pull === Number(id)) };
    const comment = { id: this.count++, pull: Number(id), body: body.body as string, edits: 0 };
    this.comments.push(comment);
    return { status: 201, body: { id: comment.id } };
  }

  private replyToApp(what: string, parts: readonly string[], body: any): Reply {
    if (/^GET \/app\/installations\/\d+$/.test(what))
      return this.installationView(this.installations.get(Number(parts[2])));
    if (/^POST \/app\/installations\/\d+\/access_tokens$/.test(what)) return this.mint(Number(parts[2]), body);
    if (!/^GET \/repos\/[^/]+\/[^/]+\/installation$/.test(what)) return NOT_FOUND;
    const repository = this.repositories.get(keyOf(parts[1]!, parts[2]!));
    return this.installationView(repository === undefined ? undefined : this.installationOf(repository.owner));
  }

  private exchange({
    client_id: id,
    client_secret: secret,
    code,
    redirect_uri: place,
    code_verifier: proof,
  }: any): Reply {
    const known = this.codes.get(code as string);
    const wrong = { status: 200, body: { error: 'bad_verification_code' } };
    if (id !== CLIENT_ID || secret !== CLIENT_SECRET || known === undefined) return wrong;
    this.codes.delete(code as string);
    if (known.redirectUri !== undefined && known.redirectUri !== place) return wrong;
    if (known.challenge !== undefined && known.challenge !== hashOf(proof as string)) return wrong;
    const token = `ghu_${randomUUID()}`;
    this.userTokens.set(token, known.login);
    this.scopes.set(token, known.scope ?? '');
    this.tokens.push(token);
    return { status: 200, body: { access_token: token, token_type: 'bearer' } };
  }

  private emailsOf(token: string): Reply {
    const account = this.accounts.get(this.userTokens.get(token)?.toLowerCase() ?? '');
    if (account === undefined) return UNAUTHORIZED;
    return this.scopes.get(token)!.split(' ').includes('user:email')
      ? { status: 200, body: account.emails ?? [] }
      : NOT_FOUND;
  }

  private ofUser(login: string | undefined, organization: string | undefined): Reply {
    if (login === undefined) return UNAUTHORIZED;
    if (organization === undefined)
      return { status: 200, body: { ...this.accounts.get(login.toLowerCase()), admins: undefined, emails: undefined } };
    const account = this.accounts.get(organization.toLowerCase());
    if (account?.type !== 'Organization') return NOT_FOUND;
    return { status: 200, body: { state: 'active', role: account.admins.has(login) ? 'admin' : 'member' } };
  }

  private mint(id: number, { repositories, permissions }: any): Reply {
    const installation = this.installations.get(id);
    if (installation === undefined) return NOT_FOUND;
    if (installation.suspendedAt !== null)
      return { status: 403, body: { message: 'This installation has been suspended' } };
    const token = `ghs_${randomUUID()}`;
    this.installationTokens.set(token, { installationId: id, repositories, permissions });
    this.tokens.push(token);
    return { status: 201, body: { token, expires_at: new Date(Date.now() + 3_600_000).toISOString(), permissions } };
  }

  private async generate(
    token: InstallationToken | undefined,
    template: string,
    { owner, name, private: isPrivate }: any,
  ): Promise<Reply> {
    const source = this.repositories.get(template);
    const installation = token === undefined ? undefined : this.installations.get(token.installationId);
    if (installation === undefined) return UNAUTHORIZED;
    if (source === undefined) return NOT_FOUND;
    if (token?.permissions['administration'] !== 'write' || installation.account.login !== owner)
      return { status: 403, body: { message: 'Resource not accessible by integration' } };
    if (this.repositories.has(keyOf(owner as string, name as string)))
      return {
        status: 422,
        body: {
          message: 'Could not clone: Name already exists on this account',
          errors: ['Could not clone: Name already exists on this account'],
        },
      };
    const made = await this.repository(owner as string, name as string, {
      isPrivate: isPrivate as boolean,
      files: { 'index.html': `<h1>From ${source.name}</h1>` },
    });
    return { status: 201, body: this.viewOf(made) };
  }

  private async branch(repository: FakeRepository | undefined, branch: string): Promise<Reply> {
    if (repository === undefined) return NOT_FOUND;
    const { status, stdout } = await this.git.try([
      '--git-dir',
      this.pathOf(repository),
      'rev-parse',
      '--verify',
      '--quiet',
      `refs/heads/${branch}`,
    ]);
    return status === 0
      ? { status: 200, body: { ref: `refs/heads/${branch}`, object: { sha: stdout.trim() } } }
      : NOT_FOUND;
  }

  private installationOf(account: FakeAccount): FakeInstallation | undefined {
    return [...this.installations.values()].find((installation) => installation.account === account);
  }

  private installationView(installation: FakeInstallation | undefined): Reply {
    if (installation === undefined) return NOT_FOUND;
    const {
      id,
      account: { login, type, id: accountId },
      suspendedAt,
    } = installation;
    return { status: 200, body: { id, account: { id: accountId, login, type }, suspended_at: suspendedAt } };
  }

  /** Like GitHub, hides private repositories from callers without access, and asks git for a password. */
  private answerGit(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const [, owner = '', name = '', rest = ''] =
      /^\/([^/]+)\/([^/]+?)(?:\.git)?(\/(?:info\/refs|git-upload-pack))$/.exec(url.pathname) ?? [];
    const repository = this.repositories.get(keyOf(owner, name));
    if (repository === undefined || (repository.private && !this.mayRead(repository, request.headers.authorization))) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end('Repository not found.');
      return;
    }
    const {
      'content-type': type = '',
      'content-encoding': encoding = '',
      'git-protocol': protocol = '',
    } = request.headers;
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: this.directory,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: `/${repository.id}.git${rest}`,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: type,
        HTTP_CONTENT_ENCODING: encoding,
        GIT_PROTOCOL: String(protocol),
        GIT_CONFIG_NOSYSTEM: '1',
        HOME: this.directory,
        GIT_CONFIG_COUNT: '3',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: '*',
        GIT_CONFIG_KEY_1: 'uploadpack.allowFilter',
        GIT_CONFIG_VALUE_1: 'true',
        GIT_CONFIG_KEY_2: 'uploadpack.allowAnySHA1InWant',
        GIT_CONFIG_VALUE_2: 'true',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    request.pipe(child.stdin);
    child.stdin.on('error', () => undefined);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('close', () => {
      const output = Buffer.concat(chunks);
      const end = output.indexOf('\r\n\r\n');
      const headers = Object.fromEntries(
        output
          .subarray(0, end)
          .toString()
          .split('\r\n')
          .map((line) => line.split(': ') as [string, string]),
      );
      const { Status: status = '200', ...others } = headers;
      response.writeHead(Number.parseInt(status, 10), others).end(output.subarray(end + 4));
    });
  }

  private mayRead({ owner, name }: FakeRepository, authorization = ''): boolean {
    const [user, password = ''] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
      .toString()
      .split(':');
    const token = this.installationTokens.get(password);
    if (user !== 'x-access-token' || token === undefined || token.permissions['contents'] === undefined) return false;
    return (
      this.installations.get(token.installationId)?.account === owner && (token.repositories?.includes(name) ?? true)
    );
  }
}

const hashOf = (verifier = ''): string => createHash('sha256').update(verifier).digest('base64url');

const keyOf = (owner: string, name: string): string => `${owner}/${name}`.toLowerCase();

/** Returns true for a JWT of the app that is signed with its key and has not expired. */
function isApp(token: string): boolean {
  const [header = '', payload = '', signature = ''] = token.split('.');
  if (!createVerify('RSA-SHA256').update(`${header}.${payload}`).verify(publicKey, signature, 'base64url'))
    return false;
  const { iss, iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
    iss: string;
    iat: number;
    exp: number;
  };
  const now = Date.now() / 1_000;
  return iss === APP_ID && iat <= now && exp > now && exp - iat <= 600;
}
