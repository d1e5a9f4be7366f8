import { Clock } from '../../src/platform/time/clock.js';
import { Mailer } from '../../src/platform/mail/mailer.js';
import { AccountDepartures } from '../../src/modules/orgs/account-departures.js';
import { FactorsService } from '../../src/modules/factors/factors.service.js';
import { AccountErasureService } from '../../src/modules/people/deletion/account-erasure.service.js';
import { AccountDeletionsStore } from '../../src/modules/people/persistence/account-deletions.store.js';
import { PersonalRowsStore } from '../../src/modules/people/persistence/personal-rows.store.js';
import { mailsOf, mailTo } from '../support/mailbox.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { type Answer, eventually, type TestApp, useApp } from '../support/test-app.js';
import { addTotp } from '../support/totp.js';

const ME = '/api/v1/me';
const SIGN_IN = '/api/v1/auth/sign-in';
const HOUR_MS = 3_600_000;

describe('DELETE /api/v1/me', () => {
  const app = useApp();
  const make = new Make(app);
  let other: TestApp;
  beforeAll(async () => {
    other = await app.another({ role: 'api' });
  });
  afterAll(() => other.stop());
  afterEach(() => jest.restoreAllMocks());

  const remove = (person: Person, username = person.user.username): Promise<Answer> =>
    app.call('DELETE', `${ME}?username=${username}`, as(person));
  const errorOf = ({ status, body }: Answer): unknown => [status, body?.error?.code];
  const rowsLeft = async ({ user }: Person): Promise<number> => {
    const tables = [
      'sessions',
      'sign_in_flows',
      'sign_in_addresses',
      'email_tokens',
      'email_changes',
      'totp_secrets',
      'recovery_codes',
      'passkeys',
      'factor_recoveries',
      'memberships',
    ];
    const counts = tables.map((table) => `(SELECT count(*) FROM ${table} WHERE user_id = $1)`);
    const [row] = await make.sql<{ n: string }>(`SELECT ${counts.join(' + ')} AS n`, [user.id]);
    return Number(row!.n);
  };
  const completed = async ({ user }: Person): Promise<boolean> =>
    (await make.sql('SELECT 1 FROM account_deletions WHERE user_id = $1 AND completed_at IS NOT NULL', [user.id]))
      .length === 1;

  it('refuses sessions and keys from the next call on, in all processes, and frees the names', async () => {
    const person = await make.person();
    const key = await make.key(person);
    const elsewhere = expectStatus(
      200,
      await app.post(SIGN_IN, { login: person.user.username, password: person.password }),
    ).body.data.session_token as string;
    for (const token of [key, elsewhere]) expectStatus(200, await other.fetch(ME, as(token)));

    expectStatus(204, await remove(person));
    expect(errorOf(await other.fetch(ME, as(key)))).toEqual([401, 'revoked_api_key']);
    for (const token of [elsewhere, person.sessionToken])
      expect(errorOf(await other.fetch(ME, as(token)))).toEqual([401, 'invalid_session']);
    for (const login of [person.user.username, person.user.email])
      expect(errorOf(await app.post(SIGN_IN, { login, password: person.password }))).toEqual([
        401,
        'invalid_credentials',
      ]);
    const { username, email } = person.user;
    expect((await make.person({ username, email })).user.id).not.toBe(person.user.id);
  });

  it('erases what names the person, and confirms it by mail', async () => {
    const person = await make.person();
    await addTotp(app, person);
    expectStatus(202, await app.post(`${ME}/email`, { email: `new-${person.user.email}` }, as(person)));
    expect(await rowsLeft(person)).toBeGreaterThan(5);
    expectStatus(204, await remove(person));
    const mail = await mailTo(app, person.user.email, 'was deleted');
    expect(mail.text).toContain(`Hello ${person.user.username},`);
    await eventually(() => completed(person), 'the deletion is completed');
    expect(await rowsLeft(person)).toBe(0);
    const names = await make.sql(
      `SELECT u.*, o.*, d.* FROM users u JOIN organizations o ON o.personal_of = u.id
        JOIN account_deletions d ON d.user_id = u.id WHERE u.id = $1`,
      [person.user.id],
    );
    expect(names).toHaveLength(1);
    for (const name of [person.user.username, person.user.email]) expect(JSON.stringify(names)).not.toContain(name);
  });

  it('deletes the personal organization with what is in it, and organizations without another member', async () => {
    const person = await make.person();
    const alone = await make.org(person);
    const key = await make.key(person);
    const ids: string[] = [];
    for (const headers of [{}, { 'x-service-org': alone.id }]) {
      const options = as(key, { headers });
      expectStatus(201, await app.post('/api/v1/repositories', { name: 'shop' }, options));
      const project = expectStatus(201, await app.post('/api/v1/projects', { name: 'shop' }, options)).body.data;
      ids.push(project.id as string);
    }
    expectStatus(204, await remove(person));
    const orgs = [person.organization.id, alone.id];
    await eventually(
      async () =>
        (
          await make.sql(
            `SELECT 1 FROM projects WHERE id = ANY($2) AND deleted_at IS NULL
              UNION ALL SELECT 1 FROM repositories WHERE org_id = ANY($1) AND deleted_at IS NULL
              UNION ALL SELECT 1 FROM organizations WHERE id = ANY($1) AND deleted_at IS NULL`,
            [orgs, ids],
          )
        ).length === 0,
      'everything is deleted',
    );
    await app.runSchedule('repository-upkeep');
    const kept = await make.sql('SELECT 1 FROM repositories WHERE org_id = ANY($1) AND removed_at IS NULL', [orgs]);
    expect(kept).toEqual([]);
  });

  it('leaves organizations that have another owner', async () => {
    const [person, colleague] = [await make.person(), await make.person()];
    const org = await make.org(colleague);
    await make.member(org, person, 'owner');
    expectStatus(204, await remove(person));
    const members = expectStatus(200, await app.fetch(`/api/v1/orgs/${org.id}/members`, as(colleague))).body.data;
    expect(members.map(({ user }: { user: { id: string } }) => user.id)).toEqual([colleague.user.id]);
    const log = expectStatus(200, await app.fetch(`/api/v1/orgs/${org.id}/audit-log`, as(colleague))).body.data;
    expect(log[0]).toMatchObject({ action: 'member.removed', details: { reason: 'account_deleted' } });
    expect(JSON.stringify(log)).not.toContain(person.user.username);
  });

  it('returns 409 with the organizations that would have no owner, and changes nothing', async () => {
    const [person, colleague] = [await make.person(), await make.person()];
    const org = await make.org(person, { name: 'Needed' });
    await make.member(org, colleague, 'admin');
    const refused = await remove(person);
    expect(errorOf(refused)).toEqual([409, 'last_owner']);
    expect(refused.body.error.details.organizations).toEqual([{ id: org.id, slug: org.slug, name: 'Needed' }]);
    expectStatus(200, await app.fetch(ME, as(person)));
    await make.role(org, colleague, 'owner');
    expectStatus(204, await remove(person));
  });

  it('leaves one owner when both owners delete their accounts at once', async () => {
    const [one, two, member] = [await make.person(), await make.person(), await make.person()];
    const org = await make.org(one);
    await make.member(org, two, 'owner');
    await make.member(org, member, 'member');
    const answers = await Promise.all([remove(one), remove(two)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  it('happens once for several calls at once, and not in a dry run', async () => {
    const person = await make.person();
    expectStatus(
      204,
      await app.call(
        'DELETE',
        `${ME}?username=${person.user.username}`,
        as(person, { headers: { 'dry-run': 'true' } }),
      ),
    );
    expectStatus(200, await app.fetch(ME, as(person)));
    const answers = await Promise.all([1, 2, 3].map(() => remove(person)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401, 401]);
  });

  it('is completed wherever it breaks off', async () => {
    const broken = (): never => {
      throw new Error('the process ended');
    };
    const breaks: (() => void)[] = [
      () => jest.spyOn(app.get(AccountDepartures), 'prepare').mockImplementationOnce(broken),
      () => jest.spyOn(app.get(FactorsService), 'eraseAll').mockImplementationOnce(broken),
      () => jest.spyOn(app.get(PersonalRowsStore), 'deleteAllOf').mockImplementationOnce(broken),
      () => jest.spyOn(app.get(Mailer), 'send').mockImplementationOnce(broken),
      () => jest.spyOn(app.get(AccountDeletionsStore), 'complete').mockImplementationOnce(broken),
    ];
    for (const breakOff of breaks) {
      const person = await make.person();
      await addTotp(app, person);
      // The job itself is not run, so that nothing but these two calls erases.
      const erase = jest.spyOn(app.get(AccountErasureService), 'erase').mockResolvedValue();
      expectStatus(204, await remove(person));
      await eventually(() => erase.mock.calls.length > 0, 'the job runs');
      erase.mockRestore();
      const erasure = app.get(AccountErasureService);
      breakOff();
      await expect(erasure.erase(person.user.id)).rejects.toThrow('the process ended');
      expect(await completed(person)).toBe(false);
      await erasure.erase(person.user.id);
      expect([await completed(person), await rowsLeft(person)]).toEqual([true, 0]);
      const mails = mailsOf(app).filter(({ to, subject }) => to === person.user.email && subject.includes('deleted'));
      expect(mails.length).toBeGreaterThanOrEqual(1);
      await erasure.erase(person.user.id);
      expect(
        mailsOf(app).filter(({ to, subject }) => to === person.user.email && subject.includes('deleted')),
      ).toHaveLength(mails.length);
    }
  });

  it('is taken up by the schedule when the job has given up', async () => {
    const person = await make.person();
    const erase = jest.spyOn(app.get(AccountErasureService), 'erase').mockResolvedValue();
    expectStatus(204, await remove(person));
    await eventually(() => erase.mock.calls.length > 0, 'the job runs');
    erase.mockRestore();
    await app.runSchedule('account-deletions');
    expect(await completed(person)).toBe(false);
    const clock = app.get(Clock);
    const later = new Date(clock.now().getTime() + 2 * HOUR_MS);
    jest.spyOn(clock, 'now').mockReturnValue(later);
    await app.runSchedule('account-deletions');
    expect(await completed(person)).toBe(true);
  });

  it('requires a session, a recent sign-in and the username', async () => {
    const [person, outsider] = [await make.person(), await make.person()];
    const key = await make.key(person);
    const path = `${ME}?username=${person.user.username}`;
    expect(errorOf(await app.call('DELETE', path))).toEqual([401, 'session_required']);
    expect(errorOf(await app.call('DELETE', path, as(key)))).toEqual([401, 'session_required']);
    expect(errorOf(await app.call('DELETE', ME, as(person)))).toEqual([400, 'invalid_request']);
    const wrong = await remove(person, outsider.user.username);
    expect(errorOf(wrong)).toEqual([400, 'confirmation_mismatch']);
    const clock = app.get(Clock);
    const later = new Date(clock.now().getTime() + HOUR_MS);
    jest.spyOn(clock, 'now').mockReturnValue(later);
    expect(errorOf(await remove(person))).toEqual([401, 'recent_sign_in_required']);
  });
});
