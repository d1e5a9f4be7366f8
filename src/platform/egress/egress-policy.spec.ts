import { passageTo } from './egress-policy.js';

const policy = {
  hosts: ['registry.npmjs.org', '1.1.1.1', '0x7f.1', 'localhost'],
  trusted: ['127.0.0.1:8418', 'npm.internal'],
};

describe('passageTo', () => {
  it.each([
    ['registry.npmjs.org:443', { host: 'registry.npmjs.org', port: 443, publicOnly: true }],
    ['Registry.NPMJS.org:443', { host: 'registry.npmjs.org', port: 443, publicOnly: true }],
    ['127.0.0.1:8418', { host: '127.0.0.1', port: 8418, publicOnly: false }],
    ['npm.internal:443', { host: 'npm.internal', port: 443, publicOnly: false }],
  ])('lets it go to %s', (target, passage) => {
    expect(passageTo(target, policy)).toEqual(passage);
  });

  it.each([
    'registry.npmjs.org:80',
    'registry.npmjs.org:22',
    'registry.npmjs.org',
    'evil.registry.npmjs.org:443',
    'registry.npmjs.org.evil.com:443',
    'registry.npmjs.org.:443',
    'user@registry.npmjs.org:443',
    'registry.npmjs.org:443:443',
    '127.0.0.1:443',
    '127.0.0.1:8419',
    '1.1.1.1:443',
    '0x7f.1:443',
    '[::1]:443',
    '2130706433:443',
    'npm.internal:80',
    'registry.npmjs.org:0443443',
    'registry.npmjs.org:-443',
    '',
    ':443',
    'a b:443',
    'registry.npmjs.org\0:443',
  ])('does not let it go to %j', (target) => {
    expect(passageTo(target, policy)).toBeNull();
  });

  it('supports no wildcards, which would allow other tenants of a shared network', () => {
    const wide = { hosts: ['*', '*.cloudfront.net', '.npmjs.org'], trusted: ['*', '*:443'] };
    for (const target of [
      'a.cloudfront.net:443',
      '*.cloudfront.net:443',
      '*:443',
      'registry.npmjs.org:443',
      '.npmjs.org:443',
    ]) {
      expect(passageTo(target, { ...wide, trusted: [] })).toBeNull();
    }
    expect(passageTo('anything.example.org:443', wide)).toBeNull();
  });

  describe('with an open policy', () => {
    const open = { ...policy, open: true };

    it.each(['github.com:443', 'github.com:80', 'registry.npmjs.org:80', 'localhost:443', 'npm.internal:80'])(
      'lets it go to public addresses of %s',
      (target) => {
        expect(passageTo(target, open)).toMatchObject({ publicOnly: true });
      },
    );

    it.each([
      'github.com:22',
      'github.com:8080',
      '1.1.1.1:443',
      '8.8.8.8:80',
      '[::1]:443',
      '0x7f.1:80',
      '127.0.0.1:80',
    ])('does not let it go to %s', (target) => {
      expect(passageTo(target, open)).toBeNull();
    });

    it('still trusts the hosts of the operator', () => {
      expect(passageTo('127.0.0.1:8418', open)).toMatchObject({ publicOnly: false });
    });
  });
});
