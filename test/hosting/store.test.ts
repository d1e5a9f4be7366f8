import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import S3rver from 's3rver';
import { HostingSettings } from '../../src/modules/hosting/hosting.settings.js';
import { loadSettings } from '../../src/roles/settings.js';
import { GarbageCollectionService } from '../../src/modules/hosting/garbage-collection.service.js';
import { ArtifactsService } from '../../src/modules/hosting/artifacts.service.js';
import { AliasesService } from '../../src/modules/hosting/aliases.service.js';
import { StoreLock } from '../../src/modules/hosting/persistence/store-lock.js';
import { keyOf } from '../../src/modules/hosting/store/content-keys.js';
import type { BlobStorage } from '../../src/platform/blobs/blob-storage.js';
import { openBlobStorage } from '../../src/platform/blobs/open-blob-storage.js';
import { Config } from '../../src/platform/config/config.js';
import { Database } from '../../src/platform/database/database.js';
import { Clock, SystemClock } from '../../src/platform/time/clock.js';
import { LIMITS, built, deploy, visit } from '../support/hosting.js';
import { eventually, TestApp } from '../support/test-app.js';

const BUCKET = 'artifacts';
const DAY_MS = 86_400_000;

/** A blob that no other test has. */
function blob(bytes = 100): { key: string; content: Buffer } {
  const content = randomBytes(bytes);
  return { key: keyOf(createHash('sha256').update(content).digest('hex')), content };
}

const contentOf = (content: Buffer, bytes = content.length): { bytes: number; open: () => Readable } => ({
  bytes,
  open: () => Readable.from([content], { objectMode: false }),
});

async function none(): Promise<AsyncIterable<string>> {
  return Promise.resolve(Readable.from([]) as AsyncIterable<string>);
}

describe.each(['file', 's3'] as const)('the artifact store: %s', (kind) => {
  const directory = mkdtempSync(join(tmpdir(), 'service-store-'));
  let server: Server | undefined;
  let settings: NodeJS.ProcessEnv;
  let store: BlobStorage;
  let app: TestApp;

  beforeAll(async () => {
    settings = { ARTIFACTS_URL: `file://${directory}` };
    if (kind === 's3') {
      const s3 = new S3rver({
        port: 0,
        address: '127.0.0.1',
        silent: true,
        directory,
        configureBuckets: [{ name: BUCKET, configs: [] }],
      });
      const { port } = (await s3.run()) as AddressInfo;
      server = s3.httpServer;
      settings = {
        ARTIFACTS_URL: `s3://${BUCKET}/some/place?endpoint=http://127.0.0.1:${port}`,
        AWS_ACCESS_KEY_ID: 'S3RVER',
        AWS_SECRET_ACCESS_KEY: 'S3RVER',
      };
    }
    const loaded = loadSettings(settings);
    const { artifactsPlace } = loaded.of(HostingSettings);
    store = await openBlobStorage(artifactsPlace, loaded.of(Config).blobCredentials, new SystemClock());
    app = new TestApp(settings, 'all');
    await app.start();
  });

  afterAll(async () => {
    await app.stop();
    server?.closeAllConnections();
    if (server !== undefined) await once(server.close(), 'close');
    rmSync(directory, { recursive: true });
  });

  it('stores blobs and returns them whole and in parts', async () => {
    const { key, content } = blob(100_000);
    await store.put(key, contentOf(content));
    expect(await buffer(await store.get(key))).toEqual(content);
    expect(await buffer(await store.get(key, { start: 10, end: 19 }))).toEqual(content.subarray(10, 20));
    expect((await store.changedAt(key))!.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(await store.refresh(key)).toBe(true);
  });

  it('reports missing blobs', async () => {
    const { key } = blob();
    await expect(store.get(key)).rejects.toMatchObject({ name: 'BlobMissing' });
    expect(await store.changedAt(key)).toBeNull();
    expect(await store.refresh(key)).toBe(false);
    await store.delete(key);
  });

  it('accepts concurrent writers of one blob', async () => {
    const { key, content } = blob(50_000);
    await Promise.all(Array.from({ length: 5 }, () => store.put(key, contentOf(content))));
    expect(await buffer(await store.get(key))).toEqual(content);
  });

  it('stores nothing of an incomplete blob', async () => {
    const { key, content } = blob();
    await expect(store.put(key, contentOf(content, 200))).rejects.toThrow();
    expect(await store.changedAt(key)).toBeNull();
    if (kind === 'file') expect(readdirSync(join(directory, 'unfinished'))).toEqual([]);
  });

  it('lists and deletes blobs', async () => {
    const { key, content } = blob();
    await store.put(key, contentOf(content));
    const keys = async (): Promise<string[]> => {
      const all: string[] = [];
      for await (const each of store.list('sha256/')) all.push(each.key);
      return all;
    };
    expect(await keys()).toContain(key);
    await store.delete(key);
    expect(await keys()).not.toContain(key);
  });

  it('accepts only keys that are made of hashes', async () => {
    expect(() => keyOf('../../etc/passwd')).toThrow();
    if (kind === 'file') await expect(store.get('sha256/../../secret')).rejects.toThrow('Not a key');
  });

  it('serves small and large files of deploys', async () => {
    const { label } = await deploy(
      app,
      built({ 'index.html': `<p>${'from the store '.repeat(200)}</p>`, 'large.bin': Buffer.alloc(9_000_000, 'y') }),
    );
    expect((await visit(app, label)).text).toContain('from the store');
    const { body } = await visit(app, label, '/large.bin', { headers: { range: 'bytes=8999990-' } });
    expect(body.toString()).toBe('y'.repeat(10));
  });

  describe('garbage collection', () => {
    const later = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
      const spy = jest.spyOn(app.get(Clock), 'now').mockImplementation(() => new Date(Date.now() + ms));
      try {
        return await work();
      } finally {
        spy.mockRestore();
      }
    };
    const collect = async (keep = none()): Promise<unknown> => app.get(GarbageCollectionService).collect(await keep);
    const release = (label: string): Promise<void> =>
      app.get(Database).transaction(() => app.get(AliasesService).release(label));

    it('keeps what is young and what is live, however old', async () => {
      const shown = await deploy(app, built({ 'index.html': 'shown for years' }));
      const young = await deploy(app, built({ 'index.html': 'young' }));
      await release(young.label);
      await collect();
      expect(await app.get(ArtifactsService).has(young.deployId)).toBe(true);
      await later(2 * DAY_MS, collect);
      expect(await app.get(ArtifactsService).has(young.deployId)).toBe(false);
      await app.restart();
      expect((await visit(app, shown.label)).text).toBe('shown for years');
    });

    it('deletes unused blobs, and keeps those of other deploys', async () => {
      const shared = `shared ${randomBytes(8).toString('hex')}`;
      const alone = `alone ${randomBytes(8).toString('hex')}`;
      const kept = await deploy(app, built({ 'index.html': shared }));
      const gone = await deploy(app, built({ 'index.html': shared, 'other.html': alone }));
      await Promise.all([release(kept.label), release(gone.label)]);
      await later(2 * DAY_MS, () => collect(Promise.resolve(Readable.from([kept.deployId]))));
      const keys = [shared, alone].map((text) => keyOf(createHash('sha256').update(text).digest('hex')));
      expect(await store.changedAt(keys[0]!)).not.toBeNull();
      expect(await store.changedAt(keys[1]!)).toBeNull();
      expect([
        await app.get(ArtifactsService).has(kept.deployId),
        await app.get(ArtifactsService).has(gone.deployId),
      ]).toEqual([true, false]);
    });

    // The bucket decides the age of its objects, and a test cannot change its clock.
    (kind === 'file' ? it : it.skip)('takes nothing from a deploy that is being taken in', async () => {
      const text = `again ${randomBytes(8).toString('hex')}`;
      const first = await deploy(app, built({ 'index.html': text }));
      await release(first.label);
      await app.get(ArtifactsService).remove(first.deployId);
      // Its blob is there, old and named by nobody, when the second deploy comes upon it and stops there for a while.
      const [there, reached] = signal();
      const [stopped, goOn] = signal();
      const whole = built({ 'index.html': text, 'z.html': 'the rest' });
      const slow = {
        ...whole,
        async *files() {
          for await (const file of whole.files()) {
            if (file.path === 'z.html') {
              reached();
              await stopped;
            }
            yield file;
          }
        },
      };
      await later(2 * DAY_MS, async () => {
        const ingest = app
          .get(ArtifactsService)
          .ingest(
            { deployId: 'dpl_second', projectId: 'prj_x', orgId: 'org_acme' },
            slow,
            LIMITS,
            new AbortController().signal,
          );
        await there;
        const attempts = jest.spyOn(app.get(StoreLock), 'unlessAdding');
        const collecting = collect();
        await eventually(() => attempts.mock.results.length > 0, 'the collection wants to delete');
        expect(await attempts.mock.results[0]!.value).toBeUndefined();
        attempts.mockRestore();
        goOn();
        await ingest;
        await collecting;
      });
      expect(await store.changedAt(keyOf(createHash('sha256').update(text).digest('hex')))).not.toBeNull();
    });
  });
});

function signal(): [Promise<void>, () => void] {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return [
    given,
    () => {
      give();
    },
  ];
}
