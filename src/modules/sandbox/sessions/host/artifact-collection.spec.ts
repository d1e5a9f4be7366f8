import { setTimeout as sleep } from 'node:timers/promises';
import type { ArtifactSink, SentFile } from '../../domain/artifacts.js';
import { collectArtifacts } from './artifact-collection.js';

class Sink implements ArtifactSink {
  readonly files: SentFile[] = [];
  bytes = 0;

  begin(file: SentFile): void {
    this.files.push(file);
  }

  take(piece: Buffer): Promise<void> {
    this.bytes += piece.length;
    return Promise.resolve();
  }
}

const WANTED = { bytes: 1_000, withinMs: 10_000 };

/** Collects from an agent that says these things, and counts how often it was asked. */
async function collected(pieces: readonly (string | Error)[], wanted = WANTED): Promise<[Sink, string[], number]> {
  const sink = new Sink();
  let asked = 0;
  const errors = await collectArtifacts(wanted, sink, () => {
    const piece = pieces[Math.min(asked, pieces.length - 1)]!;
    asked += 1;
    return piece instanceof Error ? Promise.reject(piece) : Promise.resolve(Buffer.from(piece));
  });
  return [sink, errors.map(({ code }) => code), asked];
}

it('takes files in pieces of any size until all were sent', async () => {
  const [sink, errors, asked] = await collected([
    '#fi',
    'le 1 3\nxab',
    'c#file 1 0\ny#left 1 too_large\nz',
    '#done\n',
    '',
  ]);
  expect(sink.files).toEqual([
    { path: 'x', sizeBytes: 3 },
    { path: 'y', sizeBytes: 0 },
  ]);
  expect([sink.bytes, errors, asked]).toEqual([3, ['too_large'], 4]);
});

it.each([
  ['says nothing', ['']],
  ['writes garbage', ['\0'.repeat(70_000)]],
  ['breaks off', ['#file 1 100\nxabc', new Error('The session has ended.')]],
  ['sends more than it may', ['#file 1 1001\nx']],
  ['names nothing', ['#file 0 1\nx']],
  ['names too much', ['#file 501 1\n']],
  ['sends a larger piece than it may', ['#left 0 too_large\n'.repeat(30_000)]],
])('says that not all was sent by an agent that %s', async (_how, pieces) => {
  const [sink, errors, asked] = await collected(pieces);
  expect(errors).toEqual(['not_sent']);
  expect(sink.bytes).toBeLessThanOrEqual(3);
  expect(asked).toBeLessThanOrEqual(2);
});

it('keeps no names that lead elsewhere', async () => {
  const [sink, errors] = await collected(['#file 4 1\n../xa#file 2 1\n/xa#file 3 1\na\n/a#done\n']);
  expect([sink.files, errors]).toEqual([[], ['invalid_name', 'invalid_name', 'invalid_name']]);
});

it('asks an agent that sends without end for no longer than it may take', async () => {
  const [, errors, asked] = await collected(['#left 1 too_large\nx'], { ...WANTED, withinMs: 50 });
  expect(errors).toHaveLength(21);
  expect(errors.at(-1)).toBe('not_sent');
  expect(asked).toBeGreaterThan(1);
});

describe('when it is cancelled', () => {
  const WAITS = 'it still waits';

  it('waits for no agent that does not answer', async () => {
    const cancelled = new AbortController();
    const collecting = collectArtifacts(WANTED, new Sink(), () => new Promise(() => undefined), cancelled.signal);
    expect(await Promise.race([collecting, sleep(50, WAITS)])).toBe(WAITS);
    cancelled.abort();
    expect(await collecting).toMatchObject([{ code: 'not_sent' }]);
  });

  it('asks for no more, and the late answer harms nobody', async () => {
    const cancelled = new AbortController();
    const sink = new Sink();
    const answer = Promise.withResolvers<Buffer>();
    let asked = 0;
    const ask = (): Promise<Buffer> => {
      asked += 1;
      return asked === 1 ? Promise.resolve(Buffer.from('#file 1 9\nxab')) : answer.promise;
    };
    const collecting = collectArtifacts(WANTED, sink, ask, cancelled.signal);
    await sleep(10);
    cancelled.abort();
    expect(await collecting).toMatchObject([{ code: 'not_sent' }]);
    answer.reject(new Error('The session has ended.'));
    await sleep(10);
    expect([asked, sink.bytes]).toEqual([2, 2]);
  });
});
