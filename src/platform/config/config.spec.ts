import { generateKeyPairSync } from 'node:crypto';
import { loadConfig } from './config.js';

const faultsOf = (source: NodeJS.ProcessEnv): string => {
  try {
    loadConfig(source);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('loadConfig', () => {
  it('names every bad variable at once and shows no value, which may be a secret', () => {
    const faults = faultsOf({
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      PORT: '99999',
      OPS_TOKEN: 'short',
      TRUST_PROXY: 'all',
      SANDBOX_TIMEOUT_MS: '31000',
      LOG_LEVEL: 'loud',
      PUBLIC_URL: 'nowhere',
      SANDBOX_ENABLED: 'perhaps',
    });
    for (const name of [
      'DATABASE_URL',
      'PORT',
      'OPS_TOKEN',
      'TRUST_PROXY',
      'SANDBOX_TIMEOUT_MS',
      'LOG_LEVEL',
      'PUBLIC_URL',
      'SANDBOX_ENABLED',
    ]) {
      expect(faults).toContain(name);
    }
    expect(faults).not.toMatch(/hunter2|short|99999|loud|nowhere|perhaps/);
  });

  it('runs with nothing set, and takes an empty variable for an unset one', () => {
    expect(loadConfig({})).toMatchObject({
      role: 'all',
      port: 3000,
      host: '127.0.0.1',
      databaseUrl: undefined,
      opsToken: undefined,
      trustProxy: 0,
      publicUrl: 'http://127.0.0.1:3000',
      docsUrl: 'http://127.0.0.1:3000/docs',
      sandbox: { executionsPerDay: 10, timeoutMs: 30_000, memoryBytes: 268_435_456 },
    });
    expect(loadConfig({ PORT: '', OPS_TOKEN: '', ROLE: '', DATABASE_URL: '' })).toEqual(loadConfig({}));
  });

  it('requires verified e-mail addresses where mail is sent, unless it is told otherwise', () => {
    const smtp = { MAILER: 'smtp', SMTP_URL: 'smtp://mail.example.com' };
    expect(
      [{}, smtp, { EMAIL_VERIFICATION: 'required' }, { ...smtp, EMAIL_VERIFICATION: 'off' }].map(
        (source) => loadConfig(source).emailVerification,
      ),
    ).toEqual(['off', 'required', 'required', 'off']);
  });

  it('asks the roles that share servers for the addresses of those servers', () => {
    expect(faultsOf({ ROLE: 'api' })).toMatch(/DATABASE_URL[^]*REDIS_URL[^]*API_KEY_PEPPER[^]*SECRETS_KEY/);
    expect(faultsOf({ ROLE: 'worker', DATABASE_URL: 'postgres://db/x' })).toMatch(/REDIS_URL/);
    expect(faultsOf({ ROLE: 'migrate', DATABASE_URL: 'postgres://db/x' })).toBe('');
  });

  it('asks for the secrets of a database that is not its own', () => {
    const servers = { DATABASE_URL: 'postgres://db/x', REDIS_URL: 'redis://redis' };
    for (const role of ['all', 'api', 'worker'])
      expect(faultsOf({ ...servers, ROLE: role })).toMatch(/API_KEY_PEPPER[^]*SECRETS_KEY/);
    expect(faultsOf({ ...servers, ROLE: 'seed' })).toBe('');
    expect(faultsOf({ ...servers, API_KEY_PEPPER: 'x'.repeat(32), SECRETS_KEY: 'y'.repeat(32) })).toBe('');
    expect(faultsOf({ ...servers, API_KEY_PEPPER: 'x'.repeat(32) })).not.toContain('API_KEY_PEPPER');
  });

  it('reads peppers, and keys for secrets, with the newest first, and refuses a short or an ambiguous list', () => {
    const [one, two] = ['a'.repeat(32), 'b'.repeat(40)];
    expect(loadConfig({ API_KEY_PEPPER: one }).apiKeyPeppers).toEqual([{ version: 1, secret: one }]);
    expect(loadConfig({ API_KEY_PEPPER: `2:${two}, 1:${one}` }).apiKeyPeppers).toEqual([
      { version: 2, secret: two },
      { version: 1, secret: one },
    ]);
    for (const bad of ['short', `2:${one},2:${two}`, `${one},${two}`, `0:${one}`, `1:${one},`])
      expect(faultsOf({ API_KEY_PEPPER: bad })).toContain('API_KEY_PEPPER');
    expect(loadConfig({ SECRETS_KEY: `2:${two}, 1:${one}` }).secretsKeys).toEqual([
      { version: 2, secret: two },
      { version: 1, secret: one },
    ]);
    expect(faultsOf({ SECRETS_KEY: 'short' })).toMatch(/^Bad configuration:\n {2}SECRETS_KEY must be/);
  });

  it('reads the hosts that repositories may also come from', () => {
    expect(loadConfig({}).gitAllowedHosts).toEqual([]);
    expect(loadConfig({ GIT_ALLOWED_HOSTS: 'Git.Internal, 127.0.0.1:8418' }).gitAllowedHosts).toEqual([
      'git.internal',
      '127.0.0.1:8418',
    ]);
    for (const bad of ['http://git.internal', 'user@git.internal', 'a host', '[::1]'])
      expect(faultsOf({ GIT_ALLOWED_HOSTS: bad })).toContain('GIT_ALLOWED_HOSTS');
  });

  it('takes both secrets of Stripe or neither', () => {
    const stripe = { STRIPE_SECRET_KEY: 'sk_test_of_nobody_at_all', STRIPE_WEBHOOK_SECRET: 'whsec_of_nobody_at_all' };
    expect(loadConfig({}).stripe).toBeUndefined();
    expect(loadConfig(stripe).stripe).toEqual({
      secretKey: stripe.STRIPE_SECRET_KEY,
      webhookSecret: stripe.STRIPE_WEBHOOK_SECRET,
      apiUrl: 'https://api.stripe.com',
    });
    expect(faultsOf({ ...stripe, STRIPE_SECRET_KEY: '' })).toBe(
      'Bad configuration:\n  STRIPE_SECRET_KEY must be set where STRIPE_WEBHOOK_SECRET is',
    );
    expect(faultsOf({ ...stripe, STRIPE_WEBHOOK_SECRET: '' })).toBe(
      'Bad configuration:\n  STRIPE_WEBHOOK_SECRET must be set where STRIPE_SECRET_KEY is',
    );
    expect(faultsOf({ ...stripe, STRIPE_SECRET_KEY: 'short' })).not.toContain('short');
  });

  it('takes all settings of the GitHub App or none, and its key in one line', () => {
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 })
      .privateKey.export({ type: 'pkcs1', format: 'pem' })
      .toString();
    const app = {
      GITHUB_APP_ID: '1',
      GITHUB_APP_SLUG: 'an-app',
      GITHUB_APP_PRIVATE_KEY: key.replaceAll('\n', '\\n'),
      GITHUB_APP_CLIENT_ID: 'Iv1.1',
      GITHUB_APP_CLIENT_SECRET: 'x',
      GITHUB_WEBHOOK_SECRET: 'a-secret-of-the-webhook',
      GITHUB_TEMPLATE_OWNER: 'acme',
    };
    expect(loadConfig({}).github).toBeUndefined();
    expect(loadConfig(app).github).toMatchObject({
      privateKey: key,
      url: 'https://github.com',
      apiUrl: 'https://api.github.com',
    });
    for (const name of Object.keys(app))
      expect(faultsOf({ ...app, [name]: '' })).toBe(
        `Bad configuration:\n  ${name} must be set where the other settings of the GitHub App are`,
      );
    expect(faultsOf({ ...app, GITHUB_APP_PRIVATE_KEY: 'no key' })).toBe(
      'Bad configuration:\n  GITHUB_APP_PRIVATE_KEY must be an RSA key as PEM; its line breaks may be written \\n',
    );
  });

  it('wants to know the server of its mails', () => {
    expect(faultsOf({ MAILER: 'smtp' })).toContain('SMTP_URL');
    expect(faultsOf({ MAILER: 'smtp', SMTP_URL: 'smtp://user:secret@mail:587' })).toBe('');
  });

  it.each(['all', 'true', '0.0.0.0/0', '::/0', '-1', '99', '10.0.0.0/8, everyone'])('refuses to trust %s', (value) => {
    expect(faultsOf({ TRUST_PROXY: value })).toContain('TRUST_PROXY');
  });

  it.each([
    ['1', 1],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  ])('trusts %s', (value, expected) => {
    expect(loadConfig({ TRUST_PROXY: value }).trustProxy).toEqual(expected);
  });

  it('gives callers an address that they can open', () => {
    expect(loadConfig({ HOST: '0.0.0.0', PORT: '8080' }).publicUrl).toBe('http://localhost:8080');
    expect(loadConfig({ HOST: '::1' }).publicUrl).toBe('http://[::1]:3000');
    expect(loadConfig({ PUBLIC_URL: 'https://api.example.org/' }).publicUrl).toBe('https://api.example.org');
  });
});
