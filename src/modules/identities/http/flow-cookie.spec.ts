import type { Config } from '../../../platform/config/config.js';
import { FlowCookie } from './flow-cookie.js';

const SECRET = `svc_flow_${'A'.repeat(39)}`;
const cookieOf = (publicUrl: string): FlowCookie => new FlowCookie({ publicUrl } as Config);

describe('FlowCookie', () => {
  it('belongs to this host alone, over TLS', () => {
    expect(cookieOf('https://api.example.com').headerFor(SECRET)).toBe(
      `__Host-svc_flow=${SECRET}; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=600`,
    );
  });

  it('counts when there is one, and of the right form', () => {
    const cookie = cookieOf('https://api.example.com');
    expect(cookie.secretIn(`a=b; __Host-svc_flow=${SECRET}`)).toBe(SECRET);
    for (const cookies of [
      undefined,
      '',
      `svc_flow=${SECRET}`,
      `__Host-svc_flow=${SECRET}; __Host-svc_flow=${SECRET}`,
      '__Host-svc_flow=',
      '__Host-svc_flow=anything',
    ])
      expect(cookie.secretIn(cookies)).toBeUndefined();
  });
});
