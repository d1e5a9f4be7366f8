import { isEnvName, isReservedEnvName } from './env-names.js';

describe('the name of an environment variable', () => {
  it.each(['A', 'API_KEY', '_private', 'lower_case', 'NEXT_PUBLIC_URL', 'x'.repeat(128)])('can be %s', (name) => {
    expect([isEnvName(name), isReservedEnvName(name)]).toEqual([true, false]);
  });

  it.each(['', '1A', 'A-B', 'A B', 'A=B', 'A.B', 'Ä', 'A\n', 'A\0', 'x'.repeat(129), '__proto__ '])(
    'cannot be %j',
    (name) => {
      expect(isEnvName(name)).toBe(false);
    },
  );

  it.each([
    'PORT',
    'PATH',
    'path',
    'HOME',
    'NODE_OPTIONS',
    'Node_Options',
    'LD_PRELOAD',
    'ld_audit',
    'DYLD_INSERT_LIBRARIES',
    'GIT_SSH_COMMAND',
    'npm_config_registry',
    'https_proxy',
    '_',
  ])('%s is kept for the platform', (name) => {
    expect([isEnvName(name), isReservedEnvName(name)]).toEqual([true, true]);
  });

  it.each(['PORTAL', 'NODE_ENV', 'SERVICE_API_KEY', 'NPM_TOKEN', 'GITHUB_TOKEN', 'CI', 'LDAP_URL'])(
    '%s is not',
    (name) => {
      expect(isReservedEnvName(name)).toBe(false);
    },
  );
});
