import type { StoredObject } from '../persistence/bucket-rows.js';
import type { Located, ObjectAddress, ObjectLookupsStore, ObjectVersion } from '../persistence/object-lookups.store.js';
import type { ObjectReads } from './object-reads.js';
import { RecentObjects } from './recent-objects.js';

const MIB_64 = 64 * 1_048_576;
const KIB_256 = 262_144;

const address = (key: string): ObjectAddress => ({ orgId: 'org_1', bucketName: 'photos', key });

const objectOf = (revision: string, size: number): StoredObject => ({
  ...{ bucketId: 'bkt_1', key: 'k', revision, size, etag: revision, contentType: 'text/plain' },
  ...{ headers: {}, metadata: {}, checksum: null, parts: [[`blobs/${revision}`, size, '']], updatedAt: new Date(0) },
});

/** A database with one version of everything, and a storage whose blobs consist of their names. */
class Backend {
  current: ObjectVersion | undefined;
  bytesRead = 0;
  /** What happens while bytes are read. */
  meanwhile: () => Promise<unknown> = () => Promise.resolve();

  readonly recent = new RecentObjects(
    {
      locate: (_address: ObjectAddress, known: ObjectVersion | undefined): Promise<Located> => {
        const { current } = this;
        const found = known?.version === current?.version ? known : current;
        return Promise.resolve({ bucketId: 'bkt_1', found });
      },
    } as unknown as ObjectLookupsStore,
    {
      bytesOf: async ({ revision, size }: StoredObject): Promise<Buffer> => {
        this.bytesRead += 1;
        await this.meanwhile();
        return Buffer.alloc(size, revision);
      },
    } as unknown as ObjectReads,
  );

  write(revision: string, size = 3, transaction = revision): void {
    this.current = { object: objectOf(revision, size), version: `${revision} ${transaction}` };
  }

  async read(key = 'k'): Promise<string | undefined> {
    const { object } = (await this.recent.locate(address(key)))!;
    return object && (await this.recent.bytesOf(address(key), object))?.toString('latin1', 0, 3);
  }
}

describe('recent objects', () => {
  it('read the bytes of a version once', async () => {
    const backend = new Backend();
    backend.write('aaa');
    expect([await backend.read(), await backend.read()]).toEqual(['aaa', 'aaa']);
    expect(backend.bytesRead).toBe(1);
  });

  it('never answer with bytes of an earlier version, nor with an object that is gone', async () => {
    const backend = new Backend();
    backend.write('aaa');
    await backend.read();
    backend.write('bbb');
    expect(await backend.read()).toBe('bbb');
    backend.current = undefined;
    expect(await backend.read()).toBeUndefined();
    backend.write('aaa', 3, 'later');
    expect(await backend.read()).toBe('aaa');
  });

  it('notice that only what is said about an object has changed', async () => {
    const backend = new Backend();
    backend.write('aaa');
    await backend.read();
    backend.current = { object: { ...objectOf('aaa', 3), contentType: 'image/png' }, version: 'aaa later' };
    expect((await backend.recent.locate(address('k')))?.object?.contentType).toBe('image/png');
  });

  it('do not keep bytes for a version that came while they were read', async () => {
    const backend = new Backend();
    backend.write('aaa');
    backend.meanwhile = () => {
      backend.meanwhile = () => Promise.resolve();
      backend.write('bbb');
      return backend.recent.locate(address('k'));
    };
    expect(await backend.read()).toBe('aaa');
    expect(await backend.read()).toBe('bbb');
  });

  it('keep 64 MiB at most, and nothing of large objects', async () => {
    const backend = new Backend();
    backend.write('aaa', KIB_256);
    for (let index = 0; index < 300; index++) await backend.read(`key-${index}`);
    expect(backend.recent.sizeBytes).toBeLessThanOrEqual(MIB_64);
    expect(backend.recent.sizeBytes).toBeGreaterThan(MIB_64 / 2);
    backend.write('bbb', KIB_256 + 1);
    expect(await backend.read()).toBeUndefined();
    expect(backend.bytesRead).toBe(300);
  });
});
