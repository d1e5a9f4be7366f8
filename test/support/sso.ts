import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { ConnectionTenant } from './connection-tenant.js';
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

/** Sets connections of OpenID Connect up, and signs people in through them. */
export class SsoTenants {
  constructor(
    private readonly app: TestApp,
    private readonly make: Make,
    private readonly issuer: FakeGoogle,
  ) {}

  /** Creates an organization of the plan Enterprise with a verified domain and an active connection. */
  async create(setup: object = {}): Promise<SsoTenant> {
    const tenant = await ConnectionTenant.create(this.app, this.make);
    const { owner, org, domain } = tenant;
    const ownerThere = this.person(domain);
    const connection = await tenant.oidc(this.issuer, setup);
    expectStatus(200, await tenant.test(connection, this.issuer, ownerThere));
    expectStatus(200, await tenant.call('POST', `/${connection.id}/activate`));
    return { owner, org, domain, connectionId: connection.id as string, ownerThere };
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
