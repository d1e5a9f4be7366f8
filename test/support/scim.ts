import { as, expectStatus, type Org, type Person } from './make.js';
import type { Answer, CallOptions, TestApp } from './test-app.js';

/** One request of a recorded sequence, with what the provider needs of the answer. */
export interface RecordedRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  /** Members that the answer must have; `null` for those that it must not have. */
  readonly answer?: Readonly<Record<string, unknown>>;
  /** The name under which the id of the answer is kept for later requests. */
  readonly keep?: string;
}

const TYPE = 'application/scim+json';

/** An identity provider that provisions people. */
export class ScimClient {
  constructor(
    private readonly app: TestApp,
    readonly connectionId: string,
    readonly token: string,
  ) {}

  /** Creates a token as an administrator does. */
  static async create(app: TestApp, owner: Person, { id }: Pick<Org, 'id'>, connectionId: string): Promise<ScimClient> {
    const path = `/api/v1/orgs/${id}/sso/connections/${connectionId}/scim-tokens`;
    const { secret } = expectStatus(201, await app.post(path, { name: 'Okta' }, as(owner))).body.data;
    return new ScimClient(app, connectionId, secret as string);
  }

  /** The same provider at another process. */
  at(app: TestApp): ScimClient {
    return new ScimClient(app, this.connectionId, this.token);
  }

  with({
    connectionId = this.connectionId,
    token = this.token,
  }: {
    connectionId?: string;
    token?: string;
  }): ScimClient {
    return new ScimClient(this.app, connectionId, token);
  }

  call(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.app.call(method, `/scim/v2/${this.connectionId}${path}`, {
      ...options,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': TYPE }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  /** Creates a user with an address as userName. */
  async user(address: string, more: object = {}): Promise<any> {
    return expectStatus(201, await this.call('POST', '/Users', { userName: address, active: true, ...more })).body;
  }

  async group(displayName: string, memberIds: readonly string[] = []): Promise<any> {
    const members = memberIds.map((value) => ({ value }));
    return expectStatus(201, await this.call('POST', '/Groups', { displayName, members })).body;
  }

  patch(path: string, ...Operations: object[]): Promise<Answer> {
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
    return this.call('PATCH', path, { schemas, Operations });
  }

  deactivate(id: string): Promise<Answer> {
    return this.patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
  }

  reactivate(id: string): Promise<Answer> {
    return this.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'True' });
  }

  /** Sends recorded requests one after the other. `{{name}}` stands for a known value. */
  async replay(requests: readonly RecordedRequest[], known: Readonly<Record<string, string>>): Promise<void> {
    const values: Record<string, string> = { ...known };
    const filled = <T>(recorded: T): T =>
      JSON.parse(
        JSON.stringify(recorded).replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
          const value = values[name];
          if (value === undefined) throw new Error(`The sequence knows no ${name}.`);
          return value;
        }),
      ) as T;
    for (const recorded of requests) {
      const { name, method, path, body, status, answer = {}, keep } = filled(recorded);
      const got = await this.call(method, path, body);
      if (got.status !== status) throw new Error(`${name}: expected ${status}, got ${got.status}: ${got.text}`);
      for (const [member, value] of Object.entries(answer)) {
        const actual: unknown = got.body[member];
        if (value === null) expect([name, member, actual]).toEqual([name, member, undefined]);
        else expect({ name, member, actual }).toMatchObject({ name, member, actual: value });
      }
      if (got.text !== '') expect(got.headers.get('content-type')).toMatch(/^application\/scim\+json/);
      if (keep !== undefined) values[keep] = got.body.id as string;
    }
  }
}
