import { savedAs, shieldOf } from './hostile-content.js';

const headersOf = (...[type, visibility]: Parameters<typeof shieldOf>): Record<string, string> =>
  Object.fromEntries(shieldOf(type, visibility).headers);

it.each(['image/png', 'IMAGE/JPEG', 'audio/mpeg', 'video/mp4; codecs=x', 'font/woff2', 'application/pdf'])(
  'sends %s as it is, and lets nothing sniff it',
  (type) => {
    expect(headersOf(type, 'public')).toEqual({ 'X-Content-Type-Options': 'nosniff' });
    expect(shieldOf(type, 'private').mustBeSaved).toBe(false);
  },
);

it.each([
  'text/html',
  'TEXT/HTML ; charset=utf-8',
  'image/svg+xml',
  'application/xhtml+xml',
  'application/xml',
  'text/xml',
  'text/javascript',
  'text/plain',
  'application/octet-stream',
  'image/svg+xml;image/png',
  'image/png,text/html',
  '',
  'no type',
])('takes scripts, forms and the origin from %j', (type) => {
  const policy = headersOf(type, 'public')['Content-Security-Policy'];
  expect(policy).toMatch(/^sandbox; default-src 'none';/);
  expect(policy).not.toMatch(/allow-|script-src/);
});

it.each(['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'application/rss+xml', 'Text/HTML;x=y'])(
  'lets documents of private buckets only be saved: %s',
  (type) => {
    expect(shieldOf(type, 'private').mustBeSaved).toBe(true);
    expect(shieldOf(type, 'public').mustBeSaved).toBe(false);
  },
);

it('keeps the name of a file that is saved, and not that it is shown', () => {
  expect(savedAs(undefined)).toBe('attachment');
  expect(savedAs('inline')).toBe('attachment');
  expect(savedAs('inline; filename="a.html"')).toBe('attachment; filename="a.html"');
});
