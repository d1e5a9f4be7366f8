import { parseAppsUrl } from './apps-url.js';

describe('parseAppsUrl', () => {
  it.each([
    ['https://apps.example.com', { scheme: 'https:', domain: 'apps.example.com', port: '' }],
    ['https://apps.example.com:443/', { scheme: 'https:', domain: 'apps.example.com', port: '' }],
    ['http://localhost:3001', { scheme: 'http:', domain: 'localhost', port: ':3001' }],
    ['http://localhost:0', { scheme: 'http:', domain: 'localhost', port: ':0' }],
  ])('reads %s', (text, url) => {
    expect(parseAppsUrl(text)).toEqual(url);
  });

  it.each([
    'apps.example.com',
    'ftp://apps.example.com',
    'https://Apps.example.com',
    'https://127.0.0.1:3001',
    'https://apps.example.com/path',
    'https://user@apps.example.com',
    'https://apps.example.com?x',
    'https://',
    'https://apps.example.com:99999',
  ])('refuses %s', (text) => {
    expect(parseAppsUrl(text)).toBeUndefined();
  });
});
