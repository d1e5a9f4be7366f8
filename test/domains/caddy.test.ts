import { Caddy, withCaddy } from '../support/caddy.js';
import { DnsServer } from '../support/dns-server.js';
import { settingsOf, Tenant } from '../support/domains.js';
import { expectStatus, Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

const SECRET = 'a-secret-of-the-proxy-in-the-tests';

describe('HTTPS by Caddy', () => {
  const dns = new DnsServer();
  const app = useApp(settingsOf(dns, { TLS_ASK_SECRET: SECRET }));
  const make = new Make(app);
  const caddy = new Caddy();
  let tenant: Tenant;
  const start = async (): Promise<void> => {
    tenant = await Tenant.create(app, make, 'acme');
    await caddy.start({
      API_HOST: 'api.test',
      API_ADDRESS: `127.0.0.1:${app.port}`,
      EDGE_ADDRESS: `127.0.0.1:${app.appsPort}`,
      TLS_ASK_URL: `${app.url}/internal/tls`,
      TLS_ASK_SECRET: SECRET,
    });
  };
  afterAll(() => caddy.stop());

  withCaddy(
    'serves a domain with a certificate of its own once it is active, and no other name',
    async () => {
      await start();
      await tenant.activate(dns, 'shop.example.com', { hsts: true });
      const page = await caddy.visit('https', 'shop.example.com');
      expect([page.status, page.text]).toEqual([200, 'acme']);
      expect(page.headers['strict-transport-security']).toBe('max-age=31536000');
      expect(await caddy.visit('http', 'shop.example.com', '/docs/a?b=c')).toMatchObject({
        status: 308,
        headers: { location: 'https://shop.example.com/docs/a?b=c' },
      });

      expectStatus(201, await tenant.add({ name: 'pending.example.com' }));
      await tenant.activate(dns, 'removed.example.com');
      expectStatus(204, await tenant.remove('removed.example.com'));
      for (const host of ['pending.example.com', 'removed.example.com', 'unknown.example.com', 'shop.deploys.test'])
        await expect(caddy.visit('https', host)).rejects.toThrow('alert internal error');

      // Caddy keeps the certificate of a domain that is removed later, but nothing is served with it.
      expectStatus(204, await tenant.remove('shop.example.com'));
      expect((await caddy.visit('https', 'shop.example.com')).status).toBe(404);

      const health = await caddy.visit('https', 'api.test', '/health');
      expect([health.status, health.text]).toEqual([200, '{"status":"ok"}']);
      // Who opens a page by http is led to https, and a program with a wrong URL learns it at its first call.
      expect(await caddy.visit('http', 'api.test', '/dashboard', { accept: 'text/html' })).toMatchObject({
        status: 308,
        headers: { location: 'https://api.test/dashboard' },
      });
      for (const headers of [{}, { accept: 'text/html', authorization: 'Bearer x' }])
        expect((await caddy.visit('http', 'api.test', '/health', headers)).status).toBe(403);
      const call = await caddy.visit('http', 'api.test', '/api/v1/me', { accept: 'text/html' });
      expect([call.status, call.headers['location']]).toEqual([403, undefined]);
      expect(JSON.stringify(app.log())).not.toContain(SECRET);
    },
    60_000,
  );
});
