import { randomBytes } from 'node:crypto';
import { CreditBalanceService } from '../../src/modules/credits/credit-balance.service.js';
import type { PlanId } from '../../src/modules/plans/plan.js';
import { PersonDirectory } from '../../src/modules/auth/person-directory.js';
import { OrgPlans } from '../../src/modules/orgs/org-plans.js';
import { Database } from '../../src/platform/database/database.js';
import { RedisConnections } from '../../src/platform/redis/redis-connections.js';
import { utcDay } from '../../src/platform/time/clock.js';
import { type Answer, type CallOptions, TEST_PASSWORD, type TestApp } from './test-app.js';

/** A user who has an account and is signed in. */
export interface Person {
  readonly user: {
    readonly id: string;
    readonly username: string;
    readonly email: string;
    readonly email_verified: boolean;
  };
  /** Their own. */
  readonly organization: { readonly id: string; readonly slug: string; readonly name: string; readonly plan: PlanId };
  readonly sessionToken: string;
  readonly password: string;
}

export interface Org {
  readonly id: string;
  readonly slug: string;
}

/** Creates test data over HTTP. It uses the database only for changes that no caller can make. */
export class Make {
  constructor(private readonly app: TestApp) {}

  async person(
    input: { username?: string; email?: string; password?: string; plan?: PlanId; from?: string } = {},
  ): Promise<Person> {
    const { username = uniqueName('person'), password = TEST_PASSWORD } = input;
    const { email = `${username}@example.org` } = input;
    const { data } = expectStatus(
      201,
      await this.app.post(
        '/api/v1/auth/sign-up',
        { username, email, password },
        input.from === undefined ? {} : { from: input.from },
      ),
    ).body;
    if (input.plan !== undefined) await this.plan(data.organization.id as string, input.plan);
    return {
      user: data.user,
      organization: { ...data.organization, ...(input.plan && { plan: input.plan }) },
      sessionToken: data.session_token,
      password,
    };
  }

  /** Creates an organization that the person owns. */
  async org(
    owner: Person,
    { plan, name = 'Acme', slug = uniqueName('org') }: { plan?: PlanId; name?: string; slug?: string } = {},
  ): Promise<Org> {
    const { data } = expectStatus(201, await this.app.post('/api/v1/orgs', { name, slug }, as(owner))).body;
    if (plan !== undefined) await this.plan(data.id as string, plan);
    return { id: data.id, slug: data.slug };
  }

  /** Makes a person a member without an invitation. It takes effect at once. */
  async member(org: Org, { user }: Person, role: 'owner' | 'admin' | 'member' | 'viewer'): Promise<void> {
    await this.sql('INSERT INTO memberships (org_id, user_id, role, created_at) VALUES ($1, $2, $3, now())', [
      org.id,
      user.id,
      role,
    ]);
    await this.raiseEpoch(user.id);
  }

  /** Creates a key and returns its secret. Without scopes, it has all rights of its owner. */
  async key(owner: Pick<Person, 'sessionToken'>, body: object = {}): Promise<string> {
    return expectStatus(201, await this.app.post('/api/v1/keys', { name: 'a key', ...body }, as(owner))).body.data
      .secret as string;
  }

  /** Changes the role of the person in the organization. */
  async role(org: Org, { user }: Person, role: 'owner' | 'admin' | 'member' | 'viewer'): Promise<void> {
    await this.sql('UPDATE memberships SET role = $3 WHERE org_id = $1 AND user_id = $2', [org.id, user.id, role]);
    await this.raiseEpoch(user.id);
  }

  /** Sets the plan directly in the database. */
  async plan(orgId: string, plan: PlanId): Promise<void> {
    const at = new Date();
    await this.app.get(Database).transaction(() => this.app.get(OrgPlans).change(orgId, plan, at));
  }

  /** Uses up all credits of the organization. */
  async spendCredits(orgId: string): Promise<void> {
    // It gives an organization its first credits.
    await this.app.get(CreditBalanceService).of(orgId);
    await this.sql(
      `WITH spent AS (UPDATE credit_grants SET remaining_nano = 0, held_nano = 0 WHERE org_id = $1)
       UPDATE credit_accounts SET posted_nano = 0, held_nano = 0 WHERE org_id = $1`,
      [orgId],
    );
  }

  /** Uses up this many of the daily calls of the organization. */
  async spend(orgId: string, calls: number): Promise<void> {
    await this.app
      .get(RedisConnections)
      .fast()
      .set(`limits:calls:${utcDay(new Date())}:${orgId}`, calls, 'EX', 86_400);
  }

  sql<Row = Record<string, any>>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.app.get(Database).manager.query<Row[]>(text, values);
  }

  /** Makes every process read again what a person may do. */
  raiseEpochOf({ user }: Pick<Person, 'user'>): Promise<void> {
    return this.raiseEpoch(user.id);
  }

  private async raiseEpoch(userId: string): Promise<void> {
    await this.app.get(Database).transaction(() => this.app.get(PersonDirectory).raiseEpoch(userId));
  }
}

/** Returns the options of a call with the session of a person or another token. */
export const as = (caller: Pick<Person, 'sessionToken'> | string, options: CallOptions = {}): CallOptions => ({
  ...options,
  headers: { authorization: `Bearer ${typeof caller === 'string' ? caller : caller.sessionToken}`, ...options.headers },
});

export const uniqueName = (prefix: string): string => `${prefix}-${randomBytes(6).toString('hex')}`;

/** @throws {Error} with the whole response. */
export function expectStatus(status: number, answer: Answer): Answer {
  if (answer.status !== status) throw new Error(`Expected ${status}, got ${answer.status}: ${answer.text}`);
  return answer;
}

/** Makes a call with a body, by any method. */
export const send = (
  app: TestApp,
  [method, path]: readonly [string, string],
  body: object,
  options: CallOptions = {},
): Promise<Answer> =>
  app.call(method, path, {
    ...options,
    headers: { 'content-type': 'application/json', ...options.headers },
    body: JSON.stringify(body),
  });
