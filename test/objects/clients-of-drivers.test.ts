import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { as, expectStatus } from '../support/make.js';
import { BUCKETS, Storing } from '../support/storing.js';
import { TestApp } from '../support/test-app.js';

const directory = mkdtempSync(join(tmpdir(), 'objects-driver-'));
let server: Server;
let app: TestApp;
let storage: Storing;

beforeAll(async () => {
  const configureBuckets = [{ name: 'objects', configs: [] }];
  const s3 = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets });
  const { port } = (await s3.run()) as AddressInfo;
  server = s3.httpServer;
  app = new TestApp(
    {
      SANDBOX_ENABLED: 'false',
      OBJECTS_URL: `s3://objects/some/place?endpoint=http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    },
    'all',
  );
  await app.start();
  storage = new Storing(app);
  await storage.begin();
});
afterAll(async () => {
  await app.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

it('keeps the bytes of objects in a bucket of S3, and serves whole, partial and public ones from there', async () => {
  const bucket = await storage.bucket({ visibility: 'public' });
  const body = '0123456789'.repeat(100_000);
  expectStatus(200, await storage.put(bucket.id as string, 'a', body));
  expect((await storage.get(bucket.id as string, 'a')).text).toBe(body);
  const part = await storage.get(bucket.id as string, 'a', { headers: { range: 'bytes=999998-' } });
  expect([part.status, part.text]).toEqual([206, '89']);
  expect((await storage.ask(`${bucket.label as string}.storage.localhost`, '/a')).text).toBe(body);
  expectStatus(200, await storage.put(bucket.id as string, 'a', 'new'));
  expect((await storage.get(bucket.id as string, 'a')).text).toBe('new');
  expectStatus(204, await app.call('DELETE', `${BUCKETS}/${bucket.id as string}/objects/a`, as(storage.key)));
  expectStatus(404, await storage.get(bucket.id as string, 'a'));
});
