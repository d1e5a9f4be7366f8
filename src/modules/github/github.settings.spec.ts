import { generateKeyPairSync } from 'node:crypto';
import { readSettings } from '../../platform/config/settings.js';
import { GithubSettings } from './github.settings.js';

const load = (source: NodeJS.ProcessEnv): GithubSettings => readSettings([GithubSettings], source).of(GithubSettings);

describe('GithubSettings', () => {
  it('take all settings of the GitHub App or none, and its key in one line', () => {
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
    expect(load({}).app).toBeUndefined();
    expect(load(app).app).toMatchObject({
      privateKey: key,
      url: 'https://github.com',
      apiUrl: 'https://api.github.com',
    });
    for (const name of Object.keys(app))
      expect(() => load({ ...app, [name]: '' })).toThrow(
        `Bad configuration:\n  ${name} must be set if other settings of the GitHub App are`,
      );
    expect(() => load({ ...app, GITHUB_APP_PRIVATE_KEY: 'no key' })).toThrow(
      'Bad configuration:\n  GITHUB_APP_PRIVATE_KEY must be an RSA key as PEM; its line breaks may be written \\n',
    );
  });
});
