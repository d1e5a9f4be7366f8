import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { clientOf, requireSums } from '../support/storage.js';
import { Storing } from '../support/storing.js';
import { type TestApp, useApp } from '../support/test-app.js';
import { ObjectCaller } from './object-caller.js';
import { type Act, isSerial, type Lane, MIN_PART_BYTES, ObjectModel } from './object-model.js';

/** Many runs, each of many requests. */
jest.setTimeout(240_000);

// Processes share the blobs.
const directory = mkdtempSync(join(tmpdir(), 'service-objects-'));
const app = useApp({ OBJECTS_URL: `file://${directory}` });
const storage = new Storing(app);
let other: TestApp;
let clients: readonly [S3Client, S3Client];

beforeAll(async () => {
  other = await app.another({ role: 'api' });
  await storage.begin('pro');
  const pair = await storage.accessKey();
  clients = [clientOf(app, pair), clientOf(other, pair)];
});
afterAll(async () => {
  for (const client of clients) client.destroy();
  await other.stop();
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Their order by bytes, by UTF-16 and by language differs, and some are prefixes of others. */
const KEYS = ['a', 'a/', 'a//b', 'a/b', 'a/b/c', 'a0', 'A', 'é', 'e\u0301', '\uffee', '😀', 'a b+%2F', '\u0001'];
/** The last two are as large as a part must be that others follow. */
const BODIES = ['', 'a', 'bb', 'hello', 'x'.repeat(MIN_PART_BYTES), `${'y'.repeat(MIN_PART_BYTES)}z`] as const;

const key = fc.constantFrom(...KEYS);
/** XML 1.0 has no control characters. */
const xmlKey = fc.constantFrom(...KEYS.slice(0, -1));
const few = fc.constantFrom(...KEYS.slice(0, 4));
const face = fc.constantFrom('s3' as const, 'json' as const);
const small = fc.constantFrom(...BODIES.slice(0, 4));
const body = fc.oneof({ weight: 9, arbitrary: small }, { weight: 1, arbitrary: fc.constantFrom(...BODIES) });
const partBody = fc.constantFrom(...BODIES);
const condition = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant({ ifNoneMatch: true as const }) },
  { weight: 1, arbitrary: small.map((ifMatch) => ({ ifMatch })) },
);
const range = fc.option(
  fc.tuple(fc.nat(6), fc.nat(6)).map(([first, more]) => [first, first + more] as const),
  { nil: undefined },
);
const upload = fc.nat(2);
const number = fc.integer({ min: 1, max: 2 });
const listed = fc.constantFrom('all', 'all', 'all', 'reversed', 'first', 'none', 'another etag', 'one more');

const putAct = fc.record({ act: fc.constant('put'), face, key, body, condition });
const copyAct = fc.record({ act: fc.constant('copy'), from: key, to: key });
const deleteAct = fc.record({ act: fc.constant('delete'), face, key });
const acts = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: putAct },
    { weight: 3, arbitrary: fc.record({ act: fc.constant('get'), face, key, range }) },
    { weight: 2, arbitrary: copyAct },
    { weight: 2, arbitrary: deleteAct },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('delete many'), keys: fc.array(xmlKey, { minLength: 1 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        act: fc.constant('list'),
        face,
        prefix: fc.constantFrom('', 'a', 'a/', 'e', '\uffee', 'none'),
        delimiter: fc.constantFrom('', '/', '/', '//', 'b', '😀'),
        limit: fc.constantFrom(1, 2, 3, 1_000),
      }),
    },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('read and overwrite'), key, body }) },
    {
      weight: 2,
      arbitrary: fc.record({
        act: fc.constant('begin'),
        key: xmlKey,
        announced: fc.option(fc.constantFrom(...BODIES.map(({ length }) => length))),
      }),
    },
    {
      weight: 9,
      arbitrary: fc.record({ act: fc.constant('part'), upload, number, body: partBody, isByLink: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('copy part'), upload, number, from: key }) },
    { weight: 6, arbitrary: fc.record({ act: fc.constant('complete'), face, upload, listed }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('abort'), face, upload }) },
  ),
  { minLength: 10, maxLength: 40, size: 'max' },
);

const LIST = { act: 'list', face: 's3', prefix: '', delimiter: '', limit: 1_000 } as const;

it('answers as a map in memory does, whatever is done by S3 and by the API (law 5)', async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (sequence) => {
      const model = new ObjectModel();
      const caller = new ObjectCaller(app, clients[0], storage.key, await storage.bucket());
      const begun = [null, null, 1].map((announced, at): Act => ({ act: 'begin', key: KEYS[at]!, announced }));
      for (const act of [...begun, ...sequence]) {
        // An upload that was never begun has no id.
        if ('upload' in act && model.uploads.length <= act.upload) continue;
        const parts = act.act === 'complete' ? model.listedParts(act.upload, act.listed) : [];
        const answer = await caller.answer(act, parts);
        expect({ act, answer }).toEqual({ act, answer: model.answer(act) });
      }
      expect(await caller.answer(LIST)).toEqual(model.list('', ''));
      for (const each of model.objects.keys())
        expect(await caller.answer({ act: 'get', face: 's3', key: each, range: undefined })).toBe(
          model.get(each, undefined),
        );
      await requireSums(app);
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

it('answers two clients of two processes as if one had come after the other', async () => {
  const bucket = await storage.bucket();
  const callers = [
    new ObjectCaller(app, clients[0], storage.key, bucket),
    new ObjectCaller(other, clients[1], storage.key, bucket),
  ] as const;
  const act = fc.oneof(
    { weight: 4, arbitrary: fc.record({ act: fc.constant('put'), face, key: few, body: small, condition }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('get'), face, key: few, range: fc.constant(undefined) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('delete'), face, key: few }) },
    { weight: 1, arbitrary: fc.constant(LIST) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(few, few)
        .filter(([from, to]) => from !== to)
        .map(([from, to]) => ({ act: 'copy', from, to })),
    },
  ) as fc.Arbitrary<Act>;
  const lane = fc.array(act, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(few, small)), lane, lane, async (begin, first, second) => {
      const model = new ObjectModel();
      const empty: Act = { act: 'delete many', keys: KEYS.slice(0, 4) };
      await callers[0].answer(empty);
      for (const [at, content] of begin) {
        const put: Act = { act: 'put', face: 's3', key: at, body: content, condition: undefined };
        expect(await callers[0].answer(put)).toBe(model.answer(put));
      }
      const perform = async (caller: ObjectCaller, sequence: readonly Act[]): Promise<Lane> => {
        const lane: { act: Act; answer: unknown }[] = [];
        for (const each of sequence) lane.push({ act: each, answer: await caller.answer(each) });
        return lane;
      };
      const lanes = await Promise.all([perform(callers[0], first), perform(callers[1], second)]);
      const end = (await callers[0].answer(LIST)) as string[];
      expect({ lanes, end, isSerial: isSerial(model, lanes, end) }).toEqual({ lanes, end, isSerial: true });
      await requireSums(app);
    }),
    { numRuns: 60, endOnFailure: true },
  );
});
