import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type BegunFlow, completeFlow, FakeBrowser } from './external-sign-in.js';
import type { FakeGoogle, GooglePerson } from './fake-google.js';
import { as, expectStatus, type Make, type Org, type Person, uniqueName } from './make.js';
import type { Answer, CallOptions, TestApp } from './test-app.js';

const RETURN_TO = 'http://127.0.0.1:49152/signed-in';

/** An organization whose people sign in at their own provider. */
export interface SsoTenant {
  readonly owner: Person;
  readonly org: Org;
  /** A domain that the organization has verified. */
  readonly domain: string;
  readonly connectionId: string;
  /** The person whom the provider knows the owner by. */
  readonly ownerThere: GooglePerson;
}

/** Lets the app reach the issuer, which starts before it. */
export function allowIssuer(settings: NodeJS.ProcessEnv): void {
  beforeAll(() => {
    settings['SSO_ALLOWED_HOSTS'] = new URL(settings['SIGN_IN_GOOGLE_ISSUER']!).host;
  });
}

/** Sets connections of OpenID Connect up, and signs people in through them. */
export class SsoTenants {
  constructor(
    private readonly app: TestApp,
    private readonly make: Make,
    private readonly issuer: FakeGoogle,
  ) {}

  /** Creates an organization of the plan Enterprise with a verified domain and an active connection. */
  async create(setup: object = {}): Promise<SsoTenant> {
    const owner = await this.make.person();
    const org = await this.make.org(owner, { plan: 'enterprise' });
    const domain = `${uniqueName('acme')}.com`;
    await this.verify(org, domain);
    const path = `/api/v1/orgs/${org.id}/sso/connections`;
    const { url: issuer, clientId: client_id } = this.issuer;
    const oidc = { issuer, client_id, client_secret: 'a-client-secret-of-the-fake-google' };
    const body = { name: 'Acme', type: 'oidc', oidc, ...setup };
    const { id: connectionId } = expectStatus(201, await this.app.post(path, body, as(owner))).body.data;
    const ownerThere = this.person(domain);
    const tenant = { owner, org, domain, connectionId: connectionId as string, ownerThere };
    await this.test(tenant);
    expectStatus(200, await this.app.call('POST', `${path}/${tenant.connectionId}/activate`, as(owner)));
    return tenant;
  }

  /** Lets the owner come in through the connection as an administrator tests it. */
  async test({ org, owner, connectionId, ownerThere }: SsoTenant): Promise<void> {
    const path = `/api/v1/orgs/${org.id}/sso/connections/${connectionId}/test`;
    const { verifier, challenge } = proofKey();
    const begun = expectStatus(201, await this.app.post(path, { return_to: RETURN_TO, challenge }, as(owner)));
    const flow = flowOf(begun, verifier);
    const code = await this.walk(flow, ownerThere);
    expectStatus(200, await this.app.post(`${path}/complete`, { flow_id: flow.id, code, verifier }, as(owner)));
  }

  /** Says in the database that the organization has shown the record of the domain. */
  async verify(org: Org, domain: string): Promise<void> {
    await this.make.sql(
      `INSERT INTO sso_domains
         (id, org_id, name, challenge_token, status, misses, created_at, verified_at, next_check_at)
       VALUES ($1, $2, $3, 'token', 'verified', 0, now(), now(), now() + interval '7 days')`,
      [`odom_${randomBytes(13).toString('hex')}`, org.id, domain],
    );
  }

  /** A person whom the provider knows, with an address in the domain. */
  person(domain: string, facts: Partial<GooglePerson> & { readonly groups?: readonly string[] } = {}): GooglePerson {
    return { sub: randomUUID(), email: `${uniqueName('ada')}@${domain}`, name: 'Ada Lovelace', ...facts };
  }

  /** Begins a sign-in by an address or an organization. */
  async begin(wanted: { readonly email?: string; readonly org?: string }): Promise<BegunFlow> {
    const { verifier, challenge } = proofKey();
    const body = { method: 'sso', return_to: RETURN_TO, challenge, ...wanted };
    return flowOf(expectStatus(201, await this.app.post('/api/v1/auth/flows', body)), verifier);
  }

  /** Connects a person at the provider to the account of a person who is signed in. */
  async connect({ org }: Pick<SsoTenant, 'org'>, person: Person, there: GooglePerson): Promise<void> {
    const { verifier, challenge } = proofKey();
    const body = { method: 'sso', return_to: RETURN_TO, challenge, org: org.slug };
    const flow = flowOf(expectStatus(201, await this.app.post('/api/v1/me/identities', body, as(person))), verifier);
    const code = await this.walk(flow, there);
    const shown = { flow_id: flow.id, code, verifier };
    expectStatus(201, await this.app.post('/api/v1/me/identities/complete', shown, as(person)));
  }

  /** Goes to the provider and comes back with a code. */
  walk(flow: BegunFlow, person: GooglePerson): Promise<string> {
    return new FakeBrowser(this.app).walk(flow, (location) => this.issuer.authorize(location, person));
  }

  /** Signs in from the first step to the last. */
  async signIn({ org }: Pick<SsoTenant, 'org'>, person: GooglePerson, options: CallOptions = {}): Promise<Answer> {
    const flow = await this.begin({ org: org.slug });
    return completeFlow(this.app, flow, await this.walk(flow, person), options);
  }

  /** {@link signIn}, and returns who has come in. */
  async enter(tenant: Pick<SsoTenant, 'org'>, person: GooglePerson): Promise<Person> {
    const {
      user,
      organization,
      session_token: sessionToken,
    } = expectStatus(200, await this.signIn(tenant, person)).body.data;
    return { user, organization, sessionToken, password: '' };
  }
}

function proofKey(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

function flowOf(begun: Answer, verifier: string): BegunFlow {
  const { id, authorize_url: url } = begun.body.data;
  return { id: id as string, path: new URL(url as string).pathname, verifier };
}
