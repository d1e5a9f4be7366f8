import { OrgObjectsService } from '../../../src/modules/objects/org-objects.service.js';
import { as, expectStatus, type Person } from '../../support/make.js';
import { Storing } from '../../support/storing.js';
import { useApp } from '../../support/test-app.js';
import { ToolCaller, type ToolCallOptions } from '../../support/tool-caller.js';

describe('the tools for objects', () => {
  const app = useApp();
  const storage = new Storing(app);
  let caller: ToolCaller;
  let outsider: Person;
  let bucket: any;
  beforeAll(async () => {
    await storage.begin();
    caller = new ToolCaller(app, storage.owner.organization, storage.owner);
    outsider = await storage.make.person({ plan: 'builder' });
    bucket = await storage.bucket();
  });

  const codeOf = async (kind: string, input: object, options?: ToolCallOptions): Promise<unknown> =>
    caller
      .call(kind, input, options)
      .catch((error: unknown) => error)
      .then((found) => (found as { code?: string }).code);
  const listed = (): ToolCallOptions => ({ settings: { buckets: [bucket.name as string] } });
  const read = (key: string, input: object = {}): Promise<any> =>
    caller.output('read_object', { bucket: bucket.name, key, ...input });
  const write = (key: string, content: string, expected: string | null, options: ToolCallOptions = {}): Promise<any> =>
    caller.output(
      'write_object',
      { bucket: bucket.name, key, content, expected_version: expected },
      { ...listed(), ...options },
    );
  const textOf = async (key: string): Promise<string> => (await storage.get(bucket.id as string, key)).text;

  it('list buckets and objects, with folders and in pages', async () => {
    const own = await storage.bucket();
    for (const key of ['a/1', 'a/2', 'b'])
      expectStatus(200, await storage.put(own.id as string, encodeURIComponent(key), 'x'));
    const { buckets } = await caller.output('list_buckets', {});
    expect(buckets).toContainEqual({
      ...{ id: own.id, name: own.name, visibility: 'private', object_count: 3, size_bytes: 3 },
    });
    const list = (input: object): Promise<any> => caller.output('list_objects', { bucket: own.id, ...input });
    const first = await list({ limit: 2 });
    expect(first.objects).toMatchObject([{ key: 'a/1', size_bytes: 1, content_type: 'text/plain' }, { key: 'a/2' }]);
    expect((await list({ after: first.next })).objects).toMatchObject([{ key: 'b' }]);
    expect((await list({ delimiter: '/' })).objects).toMatchObject([{ folder: 'a/' }, { key: 'b' }]);
    expect((await list({ prefix: 'a/' })).objects).toHaveLength(2);
    for (const kind of ['list_objects', 'read_object'])
      expect((await caller.tools(kind))[0]).toMatchObject({ effect: 'read', taints: true });
  });

  it('cut a list of long keys, and go on behind it', async () => {
    const own = await storage.bucket();
    const keys = Array.from({ length: 80 }, (_, n) => `${String(n).padStart(3, '0')}${'k'.repeat(900)}`);
    for (const key of keys) expectStatus(200, await storage.put(own.id as string, key, ''));
    const found: string[] = [];
    let after: string | undefined = '';
    while (after !== undefined) {
      const page: any = await caller.output('list_objects', { bucket: own.id, limit: 1_000, after });
      expect(JSON.stringify(page).length).toBeLessThan(65_536);
      found.push(...page.objects.map(({ key }: { key: string }) => key));
      after = page.next;
    }
    expect(found).toEqual(keys);
  });

  it('read large texts in pieces that end between characters, and no binary objects', async () => {
    const text = `x${'ü€𝄞'.repeat(10_000)}`;
    expectStatus(200, await storage.put(bucket.id as string, 'large', text));
    let whole = '';
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const piece: any = await read('large', { offset });
      expect(piece).toMatchObject({ key: 'large', size_bytes: Buffer.byteLength(text), content_type: 'text/plain' });
      expect(piece.text.length).toBeLessThanOrEqual(32_768);
      whole += piece.text as string;
      offset = piece.next_offset;
    }
    expect(whole).toBe(text);
    expectStatus(200, await storage.put(bucket.id as string, 'empty', ''));
    expect(await read('empty')).toMatchObject({ text: '', size_bytes: 0 });
    expectStatus(200, await storage.put(bucket.id as string, 'binary', 'a\0b'));
    expect(await read('binary')).toMatchObject({ note: 'The object is binary.' });
    expect(await codeOf('read_object', { bucket: bucket.id, key: 'large', offset: 1e9 })).toBe('range_not_satisfiable');
    expect(await codeOf('read_object', { bucket: bucket.id, key: 'missing' })).toBe('object_not_found');
    expect(await codeOf('read_object', { bucket: bucket.id, key: 'k'.repeat(1_024) + 'ü' })).toBe('invalid_key');
  });

  it('write exactly over the version that was read', async () => {
    const { version } = await write('report', 'one', null);
    expect(await read('report')).toMatchObject({ text: 'one', version });
    const refused = { bucket: bucket.id, key: 'report', content: 'x', expected_version: null };
    expect(await codeOf('write_object', refused, listed())).toBe('object_changed');
    const second = await write('report', 'two', version);
    expect(second.version).not.toBe(version);
    expect(await codeOf('write_object', { ...refused, expected_version: version }, listed())).toBe('object_changed');
    expect(await textOf('report')).toBe('two');
    // The same content again is another version, which an ETag would not tell.
    expectStatus(200, await storage.put(bucket.id as string, 'report', 'one'));
    expect(await codeOf('write_object', { ...refused, expected_version: version }, listed())).toBe('object_changed');
    expect(await textOf('report')).toBe('one');
  });

  it('write once, however often the effect is repeated', async () => {
    const before = await write('once', 'before', null);
    const effect = { effect: 'once: an effect' };
    const written = await write('once', 'written', before.version, effect);
    expect(await write('once', 'written', before.version, effect)).toEqual(written);
    // Two workers at once make one version.
    const racing = await Promise.all(Array.from({ length: 5 }, () => write('raced', 'x', null, { effect: 'a race' })));
    expect(new Set(racing.map(({ version }) => version)).size).toBe(1);
    // What was written since stays.
    expectStatus(200, await storage.put(bucket.id as string, 'once', 'by a person'));
    await expect(write('once', 'written', before.version, effect)).rejects.toMatchObject({ code: 'object_changed' });
    expect(await textOf('once')).toBe('by a person');
    expect((await caller.tools('write_object', listed().settings))[0]).toMatchObject({
      effect: 'keyed',
      isOutward: true,
    });
  });

  it('need the scopes of the caller and a listed bucket, and know none of another organization', async () => {
    const others = new Storing(app);
    await others.begin();
    const foreign = await others.bucket();
    const gone = await storage.bucket();
    expect((await app.call('DELETE', `/api/v1/storage/buckets/${gone.id}`, as(storage.key))).status).toBe(204);
    const writing = (name: string): object => ({ bucket: name, key: 'k', content: 'x', expected_version: null });
    for (const { id, name } of [foreign, gone])
      for (const each of [id, name] as string[]) {
        expect(await codeOf('list_objects', { bucket: each })).toBe('bucket_not_found');
        expect(await codeOf('read_object', { bucket: each, key: 'k' })).toBe('bucket_not_found');
        const options = { settings: { buckets: [each] } };
        expect(await codeOf('write_object', writing(each), options)).toBe('bucket_not_found');
      }
    const unlisted = await storage.bucket();
    expect(await codeOf('write_object', writing(unlisted.id as string), listed())).toBe('bucket_not_listed');
    expect(await codeOf('read_object', { bucket: unlisted.id, key: 'k' }, listed())).toBe('bucket_not_listed');
    expect(await codeOf('list_objects', { bucket: unlisted.id }, listed())).toBe('bucket_not_listed');
    const none: ToolCallOptions = { scopes: ['ai:invoke'] };
    expect(await codeOf('list_buckets', {}, none)).toBe('insufficient_scopes');
    expect(await codeOf('list_objects', { bucket: bucket.id }, none)).toBe('insufficient_scopes');
    expect(await codeOf('read_object', { bucket: bucket.id, key: 'k' }, none)).toBe('insufficient_scopes');
    const reader: ToolCallOptions = { ...listed(), scopes: ['storage:read'] };
    expect(await codeOf('write_object', writing(bucket.id as string), reader)).toBe('insufficient_scopes');
    expect(await app.get(OrgObjectsService).missing(outsider.organization.id, [bucket.id, bucket.name])).toEqual([
      bucket.id,
      bucket.name,
    ]);
  });

  it('make a version that names buckets of others invalid', async () => {
    const foreign = await storage.bucket({}, await storage.make.key(outsider));
    const agentWith = (settings: object, name = 'write_object'): ReturnType<typeof app.post> => {
      const body = { name: 'A', instructions: 'Go.', models: ['fake/small'], tools: [{ name, settings }] };
      return app.post('/api/v1/agents', body, as(storage.key));
    };
    const { error } = expectStatus(400, await agentWith({ buckets: [bucket.id, foreign.name] })).body;
    expect(error.details).toMatchObject([{ path: 'tools[0].settings.buckets[1]', code: 'exists' }]);
    for (const settings of [{}, { buckets: 'all' }, { buckets: [''] }, { buckets: [bucket.id], other: 1 }])
      expectStatus(400, await agentWith(settings));
    expectStatus(201, await agentWith({ buckets: [bucket.id] }));
    expectStatus(201, await agentWith({}, 'read_object'));
  });
});
