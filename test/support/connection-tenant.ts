import { createHash, randomBytes } from 'node:crypto';
import { type BegunFlow, FakeBrowser } from './external-sign-in.js';
import type { FakeGoogle, GooglePerson } from './fake-google.js';
import { as, expectStatus, type Make, type Org, type Person, send, uniqueName } from './make.js';
import type { Answer, TestApp } from './test-app.js';

const RETURN_TO = 'http://127.0.0.1:49152/tested';

/** An organization of the plan Enterprise, with its owner and a verified domain. */
export class ConnectionTenant {
  private constructor(
    private readonly app: TestApp,
    private readonly make: Make,
    readonly owner: Person,
    readonly org: Org,
    readonly domain: string,
  ) {}

  static async create(
    app: TestApp,
    make: Make,
    { isVerified = true, owner }: TenantOptions = {},
  ): Promise<ConnectionTenant> {
    const person = owner ?? (await make.person());
    const org = await make.org(person, { plan: 'enterprise' });
    const tenant = new ConnectionTenant(app, make, person, org, `${uniqueName('acme')}.com`);
    if (isVerified) await tenant.verifyDomain();
    return tenant;
  }

  /** Says in the database that the record was found. */
  async verifyDomain(name = this.domain): Promise<void> {
    await this.make.sql(
      `INSERT INTO sso_domains
         (id, org_id, name, challenge_token, status, misses, created_at, verified_at, next_check_at)
       VALUES ($1, $2, $3, 'token', 'verified', 0, now(), now(), now() + interval '7 days')`,
      [`odom_${randomBytes(13).toString('hex')}`, this.org.id, name],
    );
  }

  path(rest = ''): string {
    return `/api/v1/orgs/${this.org.id}/sso/connections${rest}`;
  }

  /** Calls a route of connections, as the owner unless another person is named. */
  call(method: string, rest = '', body?: object, by: Person | string = this.owner): Promise<Answer> {
    if (body === undefined) return this.app.call(method, this.path(rest), as(by));
    return send(this.app, [method, this.path(rest)], body, as(by));
  }

  async oidc(provider: FakeGoogle, more: object = {}): Promise<any> {
    return expectStatus(201, await this.call('POST', '', oidcBody(provider, more))).body.data;
  }

  async saml(saml: object, more: object = {}): Promise<any> {
    return expectStatus(201, await this.call('POST', '', { name: 'SAML', type: 'saml', saml, ...more })).body.data;
  }

  /** Begins a test of a connection. */
  async beginTest({ id }: { id: string }, by: Person = this.owner): Promise<BegunFlow> {
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const begun = await this.call('POST', `/${id}/test`, { return_to: RETURN_TO, challenge }, by);
    const { data } = expectStatus(201, begun).body;
    return { id: data.id as string, path: new URL(data.authorize_url as string).pathname, verifier };
  }

  completeTest({ id }: { id: string }, flow: BegunFlow, code: string, by: Person = this.owner): Promise<Answer> {
    return this.call('POST', `/${id}/test/complete`, { flow_id: flow.id, code, verifier: flow.verifier }, by);
  }

  /** Tests a connection of OpenID Connect. Returns the answer. */
  async test(connection: { id: string }, provider: FakeGoogle, person: GooglePerson, by = this.owner): Promise<Answer> {
    const flow = await this.beginTest(connection, by);
    const code = await new FakeBrowser(this.app).walk(flow, (location) => provider.authorize(location, person));
    return this.completeTest(connection, flow, code, by);
  }

  /** An active connection of OpenID Connect, through which the owner came in as a person with this subject. */
  async active(provider: FakeGoogle, sub = uniqueName('sub')): Promise<any> {
    const connection = await this.oidc(provider);
    expectStatus(200, await this.test(connection, provider, { sub }));
    return expectStatus(200, await this.call('POST', `/${connection.id}/activate`)).body.data;
  }

  async status({ id }: { id: string }): Promise<string> {
    return expectStatus(200, await this.call('GET', `/${id}`)).body.data.status as string;
  }

  /** Begins a sign-in of a person who is not signed in. */
  beginSignIn(wanted: { email: string } | { org: string }): Promise<Answer> {
    const challenge = createHash('sha256').update(randomBytes(32)).digest('base64url');
    return this.app.post('/api/v1/auth/flows', { method: 'sso', ...wanted, return_to: RETURN_TO, challenge });
  }

  /** The entries of the audit log about a target, the oldest first. */
  async audit(targetId: string): Promise<any[]> {
    const answer = await this.app.fetch(`/api/v1/orgs/${this.org.id}/audit-log?limit=100`, as(this.owner));
    return expectStatus(200, answer)
      .body.data.filter(({ target }: any) => target.id === targetId)
      .reverse();
  }

  async actions(targetId: string): Promise<string[]> {
    return (await this.audit(targetId)).map(({ action }) => action as string);
  }

  /** A session that came in through a connection, as the completion of a sign-in opens it. */
  async openSession({ id }: { id: string }, person: Person): Promise<void> {
    await this.make.sql(
      `UPDATE sessions SET methods = '{sso}', connection_id = $1 WHERE user_id = $2 AND ended_at IS NULL`,
      [id, person.user.id],
    );
  }
}

interface TenantOptions {
  readonly isVerified?: boolean;
  readonly owner?: Person;
}

export const oidcBody = (provider: FakeGoogle, more: object = {}): object => ({
  name: 'Okta',
  type: 'oidc',
  oidc: { issuer: provider.url, client_id: provider.clientId, client_secret: provider.clientSecret },
  ...more,
});
