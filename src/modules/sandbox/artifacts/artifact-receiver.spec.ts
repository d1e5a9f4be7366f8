import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ArtifactReceiver, type StoreFile } from './artifact-receiver.js';

const MINUTE_MS = 60_000;
const FACTS = { id: 'art_1', path: 'x', sizeBytes: 3, type: 'text/plain', expiresAt: '' };

/** A storage that takes all bytes, and says so when a test wants. */
class Storage {
  readonly confirmed = Promise.withResolvers<undefined>();
  readonly store: StoreFile = async (_file, content) => {
    try {
      await Promise.all([buffer(content), this.confirmed.promise]);
      return FACTS;
    } catch {
      return null;
    }
  };
}

/** A storage that takes nothing at all. */
const stuck: StoreFile = () => new Promise(() => undefined);

it('keeps what is stored in time', async () => {
  const storage = new Storage();
  const receiver = new ArtifactReceiver(storage.store, MINUTE_MS);
  receiver.begin({ path: 'x', sizeBytes: 3 });
  await receiver.take(Buffer.from('abc'));
  const ended = receiver.end(MINUTE_MS);
  storage.confirmed.resolve(undefined);
  expect(await ended).toMatchObject({ artifacts: [{ id: 'art_1', path: 'x' }], errors: [] });
});

it('waits for a storage that does not confirm no longer than the given time', async () => {
  const storage = new Storage();
  const receiver = new ArtifactReceiver(storage.store, MINUTE_MS);
  receiver.begin({ path: 'x', sizeBytes: 3 });
  await receiver.take(Buffer.from('abc'));
  expect(await receiver.end(20)).toMatchObject({ artifacts: [], errors: [{ path: 'x', code: 'not_stored' }] });
  // A confirmation that comes later changes nothing.
  storage.confirmed.resolve(undefined);
});

it('gives up at once what is not stored when the run is cancelled', async () => {
  const cancelled = new AbortController();
  const storage = new Storage();
  const receiver = new ArtifactReceiver(storage.store, MINUTE_MS, cancelled.signal);
  receiver.begin({ path: 'x', sizeBytes: 3 });
  await receiver.take(Buffer.from('abc'));
  const ended = receiver.end(MINUTE_MS);
  cancelled.abort();
  expect(await ended).toMatchObject({ artifacts: [], errors: [{ code: 'not_stored' }] });
});

it('keeps a sender that waits for room no longer than until the run is cancelled', async () => {
  const cancelled = new AbortController();
  const receiver = new ArtifactReceiver(stuck, MINUTE_MS, cancelled.signal);
  receiver.begin({ path: 'x', sizeBytes: 2_000_000 });
  const taking = receiver.take(Buffer.alloc(1_000_000));
  expect(await Promise.race([taking, sleep(20, 'it waits')])).toBe('it waits');
  cancelled.abort();
  await taking;
  expect(await receiver.end()).toEqual({ artifacts: [], errors: [] });
});
