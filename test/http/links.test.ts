import { ErrorCatalog } from '../../src/platform/errors/error-catalog.js';
import { PlansSettings } from '../../src/modules/plans/plans.settings.js';
import { PATHS } from '../../web/src/paths.js';
import { mailTo } from '../support/mailbox.js';
import { as, expectStatus, Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

const APP = 'http://api.test/app';
const PATTERNS = Object.values(PATHS).map((path) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`));

/** True if the address, without its fragment, is that of a screen of the app. */
const isScreen = (url: string): boolean => {
  const { origin, pathname } = new URL(url);
  return origin === 'http://api.test' && PATTERNS.some((pattern) => pattern.test(pathname));
};

describe('links for people', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const make = new Make(app);

  it('of every error code lead to its page and to a screen of the app', async () => {
    const { definitions } = app.get(ErrorCatalog);
    for (const { code, dashboard } of definitions) {
      const page = await app.fetch(`/docs/errors/${code}`);
      expect([code, page.status, page.headers.get('content-type')]).toEqual([code, 200, 'text/html; charset=utf-8']);
      if (dashboard !== undefined)
        expect({ code, dashboard, isScreen: isScreen(APP + dashboard) }).toEqual({ code, dashboard, isScreen: true });
    }
    expect(definitions.filter(({ dashboard }) => dashboard !== undefined).map(({ code }) => code)).toEqual(
      expect.arrayContaining(['credits_exhausted', 'spend_cap_reached', 'daily_limit_exceeded', 'plan_limit_reached']),
    );
  });

  it('are in the responses of the errors, also as problem details', async () => {
    const missing = await app.fetch('/api/v1/me');
    expect(missing.body.error).toMatchObject({ code: 'missing_api_key', dashboard_url: `${APP}/~/keys` });
    const problem = await app.fetch('/api/v1/me', { headers: { accept: 'application/problem+json' } });
    expect(problem.body).toMatchObject({ code: 'missing_api_key', dashboard_url: `${APP}/~/keys` });

    const person = await make.person();
    const refused = await app.post('/api/v1/billing/subscription', { plan: 'enterprise' }, as(person));
    expect(refused.body.error).toMatchObject({ code: 'plan_by_contract', dashboard_url: `${APP}/~/billing` });

    const unknown = await app.fetch('/api/v1/nothing');
    expect(unknown.body.error).not.toHaveProperty('dashboard_url');
  });

  it('of every upgrade lead to the page with the prices', async () => {
    const { pathname, origin } = new URL(app.get(PlansSettings).pricingUrl);
    expect(origin).toBe('http://api.test');
    expect((await app.fetch(pathname)).text).toContain('Builder');
  });

  it('in every mail lead to a screen of the app without any setting', async () => {
    const person = await make.person();
    const { email } = person.user;
    expectStatus(202, await app.post('/api/v1/auth/password/forgot', { email }));
    const org = await make.org(person);
    const invited = 'invited@example.org';
    expectStatus(201, await app.post(`/api/v1/orgs/${org.id}/members`, { email: invited, role: 'member' }, as(person)));
    for (const [to, subject, path] of [
      [email, 'Verify', '/verify-email'],
      [email, 'Reset your password', '/reset-password'],
      [invited, 'invites', '/accept-invitation'],
    ] as const) {
      const { text, token } = await mailTo(app, to, subject);
      const link = /^http\S+$/m.exec(text)![0];
      expect(link).toBe(`${APP}${path}#token=${token}`);
      expect(isScreen(link)).toBe(true);
    }
  });
});
