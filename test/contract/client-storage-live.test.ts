import { client, signUpWithKey } from '../support/built-client.js';
import { useApp } from '../support/test-app.js';

jest.setTimeout(120_000);

const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1000', DEFAULT_PLAN: 'builder' }, 'all');

describe('object storage of the service, in the built client', () => {
  let service: InstanceType<typeof client.Service>;

  beforeAll(async () => {
    service = new client.Service({ apiKey: (await signUpWithKey(app.url)).apiKey, baseUrl: app.url });
  });

  it('stores, reads, lists and deletes objects with awkward keys', async () => {
    const { buckets, objects } = service.storage;
    const bucket = await buckets.create({ name: 'media' });
    for (const key of ['a b/ü?#%.txt', 'a b/c', 'z']) {
      const stored = await objects.put(bucket.id, key, `content of ${key}`, { contentType: 'text/plain' });
      expect(stored).toMatchObject({ key, content_type: 'text/plain' });
      expect(await (await objects.get(bucket.id, key)).text()).toBe(`content of ${key}`);
    }
    expect(await (await objects.get(bucket.id, 'z', { range: 'bytes=0-6' })).text()).toBe('content');
    expect((await objects.head(bucket.id, 'z')).get('content-length')).toBe('12');
    const { data } = await objects.list(bucket.id, { delimiter: '/' });
    expect([data.prefixes, data.objects.map(({ key }) => key)]).toEqual([['a b/'], ['z']]);
    await objects.delete(bucket.id, 'a b/ü?#%.txt');
    await expect(objects.get(bucket.id, 'a b/ü?#%.txt')).rejects.toMatchObject({ code: 'object_not_found' });
    await expect(buckets.delete(bucket.id)).rejects.toMatchObject({ code: 'bucket_not_empty' });
    expect(await service.storage.usage()).toMatchObject({ buckets: 1, buckets_limit: 100 });
  });

  it('creates key pairs for a bucket', async () => {
    const bucket = await service.storage.buckets.create({ name: 'shared' });
    const key = await service.storage.accessKeys.create({ name: 'ci', access: 'read', bucket_ids: [bucket.id] });
    expect(key).toMatchObject({ bucket_ids: [bucket.id], secret: expect.any(String) });
    await service.storage.accessKeys.delete(key.id);
  });
});
