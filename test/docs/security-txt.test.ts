import { useApp } from '../support/test-app.js';

const PATH = '/.well-known/security.txt';

describe('GET /.well-known/security.txt', () => {
  const app = useApp({ SECURITY_CONTACT: 'mailto:security@example.com' }, 'api');
  const silent = useApp({}, 'api');

  it('returns the contact, the canonical URL and an expiry within a year (RFC 9116)', async () => {
    const { status, headers, text } = await app.fetch(PATH);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const fields = Object.fromEntries(
      text
        .trim()
        .split('\n')
        .map((line) => line.split(/: (.*)/).slice(0, 2)),
    );
    expect(fields).toEqual({
      Contact: 'mailto:security@example.com',
      Canonical: `http://api.test${PATH}`,
      'Preferred-Languages': 'en',
      Expires: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T00:00:00Z$/),
    });
    const days = (Date.parse(fields['Expires'] as string) - Date.now()) / 86_400_000;
    expect(days > 30 && days < 365).toBe(true);
  });

  it('returns 404 without a contact', async () => {
    const { status, body } = await silent.fetch(PATH);
    expect([status, body.error.code]).toEqual([404, 'page_not_found']);
  });
});
