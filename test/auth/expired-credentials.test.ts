import { as, Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

describe('credentials that expired thirty days ago', () => {
  const app = useApp();
  const make = new Make(app);

  it('are deleted, and younger ones are kept', async () => {
    const [ada, old] = [await make.person(), await make.person()];
    const org = await make.org(ada);
    await make.sql("UPDATE sessions SET expires_at = now() - interval '31 days' WHERE user_id = $1", [old.user.id]);
    for (const [id, days] of [
      ['inv_old', 31],
      ['inv_new', 29],
    ] as const) {
      await make.sql(
        `INSERT INTO invitations (id, org_id, email, role, invited_by, created_at, expires_at)
          VALUES ($1, $2, $3, 'member', $4, now(), now() - interval '${days} days')`,
        [id, org.id, `${id}@example.org`, ada.user.id],
      );
    }
    await app.runSchedule('expired-sessions');
    await app.runSchedule('expired-invitations');
    expect(await make.sql('SELECT 1 FROM sessions WHERE user_id = $1', [old.user.id])).toEqual([]);
    expect((await app.fetch('/api/v1/me', as(ada))).status).toBe(200);
    expect(await make.sql("SELECT id FROM invitations WHERE id LIKE 'inv%'")).toEqual([{ id: 'inv_new' }]);
  });
});
