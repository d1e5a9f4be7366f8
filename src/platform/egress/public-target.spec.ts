import { publicTargetOf } from './public-target.js';

describe('the target of a request of a tenant', () => {
  it.each(['https://example.com', 'https://hooks.example.com/a?b=c', 'https://example.com:443/x'])(
    'may be %s',
    (url) => {
      expect(publicTargetOf(url, { trusted: [] })).toMatchObject({ publicOnly: true });
    },
  );

  it.each([
    'http://example.com/',
    'https://example.com:8443/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/',
    'https://metadata/',
    'https://user:password@example.com/',
    'https://user@example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'example.com',
    '',
    `https://example.com/${'a'.repeat(1_000)}`,
  ])('may not be %s', (url) => {
    expect(publicTargetOf(url, { trusted: [] })).toBeUndefined();
  });

  it('may be a host that the operator trusts, at its port', () => {
    const trusted = ['127.0.0.1:8080', 'hooks.internal'];
    expect(publicTargetOf('http://127.0.0.1:8080/x', { trusted })).toMatchObject({ publicOnly: false });
    expect(publicTargetOf('https://hooks.internal/', { trusted })).toMatchObject({ publicOnly: false });
    expect(publicTargetOf('http://127.0.0.1:8081/x', { trusted })).toBeUndefined();
    expect(publicTargetOf('http://user:p@127.0.0.1:8080/x', { trusted })).toBeUndefined();
  });
});
