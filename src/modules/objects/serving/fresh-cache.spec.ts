import { FreshCache } from './fresh-cache.js';

const gate = (): { open: () => void; opened: Promise<void> } => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

it('loads a key once, however many ask for it, and keeps that it has no value', async () => {
  const asked: string[] = [];
  const cache = new FreshCache<string>({
    maxBytes: 10_000,
    bytesOf: (value) => value.length,
    load: (key) => {
      asked.push(key);
      return Promise.resolve(key === 'none' ? null : `value of ${key}`);
    },
  });
  expect(cache.known('a')).toBeUndefined();
  expect(await Promise.all([cache.find('a'), cache.find('a'), cache.find('none')])).toEqual([
    'value of a',
    'value of a',
    null,
  ]);
  expect(cache.known('a')).toBe('value of a');
  expect(cache.known('none')).toBeNull();
  expect(asked).toEqual(['a', 'none']);
});

it('does not keep a value that changed while it was loaded', async () => {
  const { open, opened } = gate();
  let value = 'old';
  const cache = new FreshCache<string>({
    maxBytes: 10_000,
    bytesOf: () => 1,
    load: async () => {
      const read = value;
      await opened;
      return read;
    },
  });
  const first = cache.find('a');
  value = 'new';
  cache.dropKey('a');
  open();
  expect(await first).toBe('old');
  expect(cache.known('a')).toBeUndefined();
  expect(await cache.find('a')).toBe('new');
});

it('keeps to its limit of memory', async () => {
  const cache = new FreshCache<Buffer>({
    maxBytes: 10_000,
    bytesOf: ({ length }) => length,
    load: () => Promise.resolve(Buffer.alloc(4_000)),
  });
  for (const key of ['a', 'b', 'c']) await cache.find(key);
  expect(['a', 'b', 'c'].map((key) => cache.known(key) !== undefined)).toEqual([false, true, true]);
  cache.drop((key) => key === 'b');
  expect(['b', 'c'].map((key) => cache.known(key) !== undefined)).toEqual([false, true]);
});
