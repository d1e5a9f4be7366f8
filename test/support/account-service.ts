import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface FakeKey {
  readonly id: string;
  readonly name: string;
  secret: string;
  revoked: boolean;
}

interface FakeAnswer {
  readonly status: number;
  readonly body?: object;
}

/**
 * A fake service with one user, their sessions and keys, for tests of clients.
 */
export class AccountService {
  private readonly server: Server;
  readonly keys: FakeKey[] = [];
  readonly sessions = new Set<string>();
  /** The grants of the user. Only the first one reaches the organization. */
  readonly grants = [
    { id: 'grt_1', client_name: 'Claude', client_host: 'claude.ai', scopes: ['projects:read'] },
    { id: 'grt_2', client_name: 'Tool', scopes: ['projects:read', 'projects:write'] },
  ].map((grant) => ({ ...grant, redirect_host: 'localhost', user: { id: 'usr_1', username: 'ada' } }));
  /** Responses for the next calls, regardless of the request. */
  readonly refusals: FakeAnswer[] = [];
  readonly seen: string[] = [];

  constructor() {
    this.server = createServer((request, response) => {
      void this.answer(request).then(({ status, body }) => {
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(body === undefined ? undefined : JSON.stringify(body));
      });
    });
  }

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  refuseNext(status: number, error: object): void {
    this.refusals.push({
      status,
      body: { error: { status, type: 'x', message: 'No.', ...error }, meta: { request_id: 'req_1' } },
    });
  }

  private async answer(request: IncomingMessage): Promise<FakeAnswer> {
    const method = request.method!;
    const { pathname } = new URL(request.url!, this.url);
    const body = request.headers['content-type'] === undefined ? {} : ((await json(request)) as Record<string, string>);
    this.seen.push(`${method} ${pathname}`);
    return (
      this.refusals.shift() ??
      this.route(`${method} ${pathname}`, body, request.headers.authorization?.replace('Bearer ', '') ?? '')
    );
  }

  private route(route: string, body: Record<string, string>, credential: string): FakeAnswer {
    if (route === 'POST /api/v1/auth/sign-in') return this.signIn(body);

    const key = this.keys.find(({ secret, revoked }) => secret === credential && !revoked);
    if (key === undefined && !this.sessions.has(credential)) return refusal(401, 'auth_error', 'invalid_api_key');
    const [, isOfOrg, grantId] = /^[A-Z]+ \/api\/v1\/(orgs\/org_1\/)?grants(?:\/(\w+))?$/.exec(route) ?? [];
    if (route.includes('/grants')) return this.grantRoute(isOfOrg !== undefined, grantId);
    const [, keyId, action = ''] = /^[A-Z]+ \/api\/v1\/keys\/([^/]+)(\/rotate)?$/.exec(route) ?? [];
    switch (
      `${route.split(' ')[0]!} ${keyId === undefined || keyId === 'current' ? route.split(' ')[1]! : `KEY${action}`}`
    ) {
      case 'POST /api/v1/auth/sign-out':
        this.sessions.delete(credential);
        return { status: 204 };
      case 'GET /api/v1/me':
        return success(200, {
          user: { id: 'usr_1', username: 'ada', email: 'ada@example.com', email_verified: true },
          organization: { id: 'org_1', slug: 'ada', name: 'Ada', plan: 'free', role: 'owner' },
          organizations: [],
          closed_organizations: [],
          credential: { type: 'api_key', key: viewOf(key!) },
          scopes: ['*'],
        });
      case 'GET /api/v1/keys':
        return { status: 200, body: { data: this.keys.map(viewOf), meta: { request_id: 'req_1', has_more: false } } };
      case 'POST /api/v1/keys':
        return success(201, this.mint(body['name']!));
      case 'GET /api/v1/keys/current':
        return success(200, viewOf(key!));
      case 'POST KEY/rotate':
        return this.withKey(keyId!, (it) => {
          it.secret += '-rotated';
          return success(200, { ...viewOf(it), secret: it.secret });
        });
      case 'DELETE KEY':
        return this.withKey(keyId!, (it) => {
          it.revoked = true;
          return { status: 204 };
        });
      case 'POST /api/v1/auth/explain':
        return success(200, {
          allowed: false,
          refused_by: 'scope',
          code: 'insufficient_scopes',
          message: 'The key may not.',
          fix: 'Add keys:write.',
          required_scopes: ['keys:write'],
        });
      default:
        return refusal(404, 'not_found_error', 'route_not_found');
    }
  }

  private signIn({ login, password }: Record<string, string>): FakeAnswer {
    if (login !== 'ada' || password !== 'correct horse') return refusal(401, 'auth_error', 'invalid_credentials');
    const token = `svc_sess_${this.seen.length}`;
    this.sessions.add(token);
    return success(200, {
      user: { id: 'usr_1', username: 'ada' },
      organization: { id: 'org_1' },
      session_token: token,
    });
  }

  private grantRoute(isOfOrg: boolean, grantId: string | undefined): FakeAnswer {
    const shown = isOfOrg ? this.grants.slice(0, 1) : this.grants;
    if (grantId === undefined)
      return { status: 200, body: { data: shown, meta: { request_id: 'req_1', has_more: false } } };
    const at = shown.findIndex(({ id }) => id === grantId);
    if (at === -1) return refusal(404, 'not_found_error', 'grant_not_found');
    this.grants.splice(at, 1);
    return { status: 204 };
  }

  mint(name: string): FakeKey {
    const key = {
      id: `key_${this.keys.length + 1}`,
      name,
      secret: `svc_pat_secret${this.keys.length + 1}`,
      revoked: false,
    };
    this.keys.push(key);
    return key;
  }

  private withKey(id: string, act: (key: FakeKey) => FakeAnswer): FakeAnswer {
    const key = this.keys.find((candidate) => candidate.id === id);
    return key === undefined ? refusal(404, 'not_found_error', 'key_not_found') : act(key);
  }
}

const viewOf = ({ id, name, revoked }: FakeKey): object => ({
  id,
  name,
  kind: 'personal',
  scopes: ['*'],
  prefix: 'svc_pat_s',
  last4: 'ret1',
  status: revoked ? 'revoked' : 'active',
});

const success = (status: number, data: object): FakeAnswer => ({
  status,
  body: { data, meta: { request_id: 'req_1' } },
});

const refusal = (status: number, type: string, code: string): FakeAnswer => ({
  status,
  body: {
    error: { type, code, status, message: 'No.', hint: 'Try another.', docs_url: `http://docs.test/errors/${code}` },
    meta: { request_id: 'req_1' },
  },
});
