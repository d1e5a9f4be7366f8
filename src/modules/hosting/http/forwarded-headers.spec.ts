import type { IncomingMessage } from 'node:http';
import { forwardedHeaders } from './forwarded-headers.js';

/** Returns the host that the app gets for a request that was found by `foundBy`. */
function hostFor(headers: Record<string, string>, foundBy: string, isTrusted: boolean): string | undefined {
  const request = { headers, rawHeaders: Object.entries(headers).flat() } as unknown as IncomingMessage;
  const passed = forwardedHeaders(request, { scheme: 'https:', host: foundBy, chain: ['192.0.2.1'], isTrusted });
  return passed[passed.indexOf('X-Forwarded-Host') + 1];
}

describe('X-Forwarded-Host for an app', () => {
  const forwarded = { host: 'edge.internal', 'x-forwarded-host': 'first.example.com, shop.example.com' };

  it('is the host that the app was found by, as the visitor wrote it', () => {
    expect(hostFor({ host: 'Shop.example.com:8443' }, 'shop.example.com', true)).toBe('Shop.example.com:8443');
    expect(hostFor(forwarded, 'shop.example.com', true)).toBe('shop.example.com');
  });

  it('is never chosen by a caller: Host wins where the app was found by it', () => {
    const both = { host: 'shop.example.com', 'x-forwarded-host': 'evil.example.com' };
    expect(hostFor(both, 'shop.example.com', true)).toBe('shop.example.com');
    expect(hostFor(both, 'shop.example.com', false)).toBe('shop.example.com');
    expect(hostFor(forwarded, 'edge.internal', false)).toBe('edge.internal');
  });
});
