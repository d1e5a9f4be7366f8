import { built, deploy, type Page, point, visit, type VisitOptions } from './hosting.js';
import { as, expectStatus, type Make, type Person, send, uniqueName } from './make.js';
import type { DnsServer } from './dns-server.js';
import { type Answer, type CallOptions, eventually, type TestApp } from './test-app.js';

const APPS_DOMAIN = 'deploys.test';
export const CNAME_TARGET = `cname.${APPS_DOMAIN}`;
export const OUR_ADDRESS = '192.0.2.10';
export const OUR_ADDRESS_V6 = '2001:db8::10';

/** Settings of an app whose domains are verified by the server; filled in once it has started. */
export const settingsOf = (dns: DnsServer, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
  const settings: NodeJS.ProcessEnv = {
    APPS_URL: `https://${APPS_DOMAIN}`,
    DOMAINS_ADDRESSES: `${OUR_ADDRESS},${OUR_ADDRESS_V6}`,
    ...more,
  };
  beforeAll(async () => {
    await dns.start();
    settings['DOMAINS_RESOLVER'] = dns.address;
  });
  afterAll(() => {
    dns.stop();
  });
  return settings;
};

/** An organization with a project, whose production deploy shows a page with the name of the tenant. */
export class Tenant {
  projectId!: string;
  key!: string;
  person!: Person;

  private constructor(
    readonly app: TestApp,
    readonly name: string,
  ) {}

  static async create(
    app: TestApp,
    make: Make,
    name: string,
    plan: Person['organization']['plan'] = 'pro',
  ): Promise<Tenant> {
    const tenant = new Tenant(app, name);
    tenant.person = await make.person({ plan });
    tenant.key = await make.key(tenant.person);
    tenant.projectId = await tenant.createProject();
    await tenant.deployProduction(name);
    return tenant;
  }

  get orgId(): string {
    return this.person.organization.id;
  }

  async createProject(): Promise<string> {
    const answer = await this.app.post('/api/v1/projects', { name: uniqueName('shop') }, as(this.key));
    return expectStatus(201, answer).body.data.id as string;
  }

  async deployProduction(text: string, projectId = this.projectId): Promise<void> {
    const owner = { projectId, orgId: this.orgId };
    const deployed = await deploy(this.app, built({ 'index.html': text, 'docs/a.html': `${text} docs` }), owner);
    await point(this.app, `production-${projectId.slice(-10)}`, deployed, 'production');
  }

  path(domain?: string, projectId = this.projectId): string {
    const base = `/api/v1/projects/${projectId}/domains`;
    return domain === undefined ? base : `${base}/${encodeURIComponent(domain)}`;
  }

  add(body: object, options?: CallOptions): Promise<Answer> {
    return this.app.post(this.path(), body, as(this.key, options));
  }

  get(domain: string): Promise<Answer> {
    return this.app.fetch(this.path(domain), as(this.key));
  }

  verify(domain: string): Promise<Answer> {
    return this.app.call('POST', `${this.path(domain)}/verify`, as(this.key));
  }

  change(domain: string, body: object): Promise<Answer> {
    return send(this.app, ['PATCH', this.path(domain)], body, as(this.key));
  }

  remove(domain: string): Promise<Answer> {
    return this.app.call('DELETE', this.path(domain), as(this.key));
  }

  async stateOf(domain: string): Promise<string> {
    return expectStatus(200, await this.get(domain)).body.data.state as string;
  }

  /** Adds a domain, sets its records and verifies it. */
  async activate(dns: DnsServer, name: string, body: object = {}): Promise<Record<string, any>> {
    const { data } = expectStatus(201, await this.add({ name, ...body })).body;
    dns.set(`_service-challenge.${name.replace(/^(\*|www)\./, '')}`, 'TXT', challengeOf(data));
    dns.set(name, 'CNAME', CNAME_TARGET);
    const verified = expectStatus(200, await this.verify(name)).body.data as Record<string, any>;
    expect(verified).toMatchObject({ state: 'active' });
    return verified;
  }
}

/** The value of the TXT record that the domain needs. */
export const challengeOf = (domain: Record<string, any>): string =>
  domain['records'].find(({ type }: { type: string }) => type === 'TXT').value as string;

/** Asks as a visitor does whom a proxy passes on, by https unless the test is about that. */
export const visitHost = (app: TestApp, host: string, path = '/', options: VisitOptions = {}): Promise<Page> =>
  visit(app, '', path, { ...options, host, headers: { 'x-forwarded-proto': 'https', ...options.headers } });

/** Waits until a visitor is served this text. An edge that has seen the name before hears of changes a moment later. */
export const untilServed = (app: TestApp, host: string, text: string): Promise<void> =>
  eventually(async () => (await visitHost(app, host)).text === text, `${host} serves "${text}"`);

/** Waits until a visitor of the name is served nothing. */
export const untilGone = (app: TestApp, host: string): Promise<void> =>
  eventually(async () => (await visitHost(app, host)).status === 404, `${host} is gone`);
