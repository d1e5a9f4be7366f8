import { readSettings } from '../../platform/config/settings.js';
import { IdentitiesSettings } from './identities.settings.js';

const load = (source: NodeJS.ProcessEnv): IdentitiesSettings =>
  readSettings([IdentitiesSettings], source).of(IdentitiesSettings);

describe('IdentitiesSettings', () => {
  it('take the client of a provider with its secret, or neither', () => {
    const google = { SIGN_IN_GOOGLE_CLIENT_ID: 'id', SIGN_IN_GOOGLE_CLIENT_SECRET: 'secret' };
    const github = { SIGN_IN_GITHUB_CLIENT_ID: 'id', SIGN_IN_GITHUB_CLIENT_SECRET: 'secret' };
    expect([load({}).github, load({}).google]).toEqual([undefined, undefined]);
    expect(load(google)).toMatchObject({
      github: undefined,
      google: { clientId: 'id', clientSecret: 'secret', issuer: 'https://accounts.google.com' },
    });
    expect(load(github).github).toEqual({
      clientId: 'id',
      clientSecret: 'secret',
      url: 'https://github.com',
      apiUrl: 'https://api.github.com',
    });
    for (const pair of [google, github]) {
      const [id, secret] = Object.keys(pair);
      expect(() => load({ ...pair, [id!]: '' })).toThrow(`Bad configuration:\n  ${id} must be set if ${secret} is`);
      expect(() => load({ ...pair, [secret!]: '' })).toThrow(`Bad configuration:\n  ${secret} must be set if ${id} is`);
    }
  });
});
