import { createHash, randomBytes } from 'node:crypto';
import { ArtifactsService } from '../../src/modules/hosting/artifacts.service.js';
import type { BuiltFile, BuiltLink, BuiltOutput } from '../../src/modules/hosting/built-output.js';
import { keyOf } from '../../src/modules/hosting/store/content-keys.js';
import { BlobStorage } from '../../src/platform/blobs/blob-storage.js';
import { StoredBytes } from '../../src/modules/hosting/stored-bytes.js';
import { built, type Files, LIMITS } from '../support/hosting.js';
import { Make, uniqueName } from '../support/make.js';
import { useApp } from '../support/test-app.js';

const never = new AbortController().signal;
const MIB = 1_048_576;
/** Random files do not compress: what is stored is the files and a manifest of some hundred bytes. */
const LIMIT = 4 * MIB;

/** What an organization stores in deploys is bounded by its plan. */
describe('the bytes that deploys of an organization store', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  let orgId: string;
  beforeEach(() => {
    orgId = uniqueName('org');
  });

  const ownerOf = (deployId = uniqueName('dpl')) => ({ deployId, projectId: 'prj_stored', orgId });
  const ingest = (owner: ReturnType<typeof ownerOf>, output: BuiltOutput): Promise<unknown> =>
    app.get(ArtifactsService).ingest(owner, output, { ...LIMITS, storedBytes: LIMIT }, never);
  const stored = (): Promise<number> => app.get(StoredBytes).of(orgId);
  const reservations = (): Promise<unknown[]> =>
    make.sql('SELECT bytes FROM stored_bytes_reservations WHERE org_id = $1', [orgId]);
  const isKept = async (content: Buffer): Promise<boolean> =>
    (await app.get(BlobStorage).changedAt(keyOf(createHash('sha256').update(content).digest('hex')))) !== null;

  it('never exceed the limit: what does not fit is rejected before it is written', async () => {
    const [first, large, small] = [randomBytes(3 * MIB), randomBytes(2 * MIB), randomBytes(MIB / 2)];
    await ingest(ownerOf(), built({ 'first.bin': first }));
    const refused = ownerOf();
    await expect(ingest(refused, built({ 'large.bin': large }))).rejects.toMatchObject({
      code: 'storage_limit_reached',
      message: expect.stringMatching(
        /can store 4 MiB, and other deploys use 3(\.\d+)? MiB.*DELETE \/api\/v1\/deploys/s,
      ),
    });
    expect([await isKept(large), await app.get(ArtifactsService).has(refused.deployId), await reservations()]).toEqual([
      false,
      false,
      [],
    ]);
    await ingest(ownerOf(), built({ 'small.bin': small }));
    expect(await stored()).toBeLessThanOrEqual(LIMIT);
  });

  it('never exceed the limit under concurrent deploys', async () => {
    // Each is let go on when the other one has written as much as it can.
    const waiting = new Set<() => void>();
    const meet = (): Promise<void> =>
      new Promise((resolve) => {
        waiting.add(resolve);
        if (waiting.size === 2) for (const go of waiting) go();
      });
    const meeting = (files: Files): BuiltOutput => ({
      ...built({}),
      files: async function* (): AsyncGenerator<BuiltFile | BuiltLink> {
        yield* built({ [`${uniqueName('a')}.bin`]: randomBytes(MIB) }).files();
        await meet();
        yield* built(files).files();
      },
    });
    const two = [ownerOf(), ownerOf()];
    const rest = [randomBytes(MIB * 1.5), randomBytes(MIB * 1.5)];
    const results = await Promise.allSettled(
      two.map((owner, index) => ingest(owner, meeting({ 'b.bin': rest[index]! }))),
    );
    const failures = results.filter((result): result is PromiseRejectedResult => result.status === 'rejected');
    expect(failures.map(({ reason }) => (reason as { code: string }).code)).toEqual(['storage_limit_reached']);
    // Not a byte of the other one was written that had no room.
    expect([await isKept(rest[0]!), await isKept(rest[1]!)].sort()).toEqual([false, true]);
    expect(await stored()).toBeGreaterThan(2.5 * MIB - 1);
    expect(await stored()).toBeLessThanOrEqual(LIMIT);
    expect(await reservations()).toEqual([]);
  });

  it('allow concurrent deploys that fit together', async () => {
    await Promise.all(
      [1, 2, 3].map(() => ingest(ownerOf(), built({ 'a.bin': randomBytes(MIB), 'b.bin': randomBytes(100_000) }))),
    );
    expect(await stored()).toBeGreaterThan(3 * MIB);
  });

  it('count a deploy that reuses files, and one that is ingested again, once', async () => {
    const [first, second, third] = [ownerOf(), ownerOf(), ownerOf()];
    const files = { 'a.bin': randomBytes(1.5 * MIB) };
    await ingest(first, built(files));
    const bytes = await stored();
    await ingest(first, built(files));
    expect(await stored()).toBe(bytes);
    const adopt = (owner: typeof first): Promise<boolean> =>
      app.get(ArtifactsService).adopt(first.deployId, owner, { storedBytes: LIMIT });
    expect(await adopt(second)).toBe(true);
    expect(await stored()).toBe(2 * bytes);
    await expect(adopt(third)).rejects.toMatchObject({ code: 'storage_limit_reached' });
    await app.get(ArtifactsService).remove(second.deployId);
    expect(await adopt(third)).toBe(true);
  });

  it('include compressed forms and manifests', async () => {
    const page = 'lorem ipsum dolor sit amet '.repeat(4_000);
    await ingest(ownerOf(), built({ 'index.html': page }));
    const compressed = (await stored()) - page.length;
    expect(compressed).toBeGreaterThan(200);
    const empty = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${'x'.repeat(200)}/${index}`, '']));
    const before = await stored();
    await ingest(ownerOf(), built(empty));
    expect((await stored()) - before).toBeGreaterThan(100_000);
  });

  it('are released when the process that reserved them died', async () => {
    await make.sql(
      `INSERT INTO stored_bytes_reservations (deploy_id, org_id, bytes, expires_at)
        VALUES ($1, $2, $3, now() + interval '1 hour')`,
      [uniqueName('dpl'), orgId, LIMIT],
    );
    const file = { 'a.bin': randomBytes(1_000) };
    await expect(ingest(ownerOf(), built(file))).rejects.toMatchObject({ code: 'storage_limit_reached' });
    await make.sql("UPDATE stored_bytes_reservations SET expires_at = now() - interval '1 second' WHERE org_id = $1", [
      orgId,
    ]);
    await ingest(ownerOf(), built(file));
    expect(await reservations()).toEqual([]);
  });
});
