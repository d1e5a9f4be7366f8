import { RequestTimeout } from '../../../platform/http/http.errors.js';
import { MeasuringBody } from './object-body.js';

const KIB_64 = 65_536;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Pieces of so many bytes, each after a pause. */
async function* slowly(count: number, bytes: number, ms: number): AsyncGenerator<Buffer> {
  for (let piece = 0; piece < count; piece++) {
    await pause(ms);
    yield Buffer.alloc(bytes);
  }
}

/** What becomes of a body whose reader takes so long for each piece. */
async function outcomeOf(body: AsyncIterable<Buffer>, size: number, readerMs = 0): Promise<unknown> {
  const measuring = new MeasuringBody({ size, bytes: body });
  const read = async (): Promise<unknown> => {
    const pieces = measuring.read();
    while ((await pieces.next()).done !== true) await pause(readerMs);
    return 'whole';
  };
  const outcome = read().catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(3_600_000);
  return outcome;
}

describe('the body of an object', () => {
  it('is refused when nothing arrives', async () => {
    expect(await outcomeOf(slowly(1, 1, 31_000), 1)).toBeInstanceOf(RequestTimeout);
  });

  it('is refused when a byte now and then arrives, however many they are', async () => {
    expect(await outcomeOf(slowly(3_000, 1, 1_000), 3_000)).toBeInstanceOf(RequestTimeout);
  });

  it('may take as long as enough bytes arrive', async () => {
    expect(await outcomeOf(slowly(100, KIB_64, 29_000), 100 * KIB_64)).toBe('whole');
  });

  it('is not refused because its reader is slow', async () => {
    expect(await outcomeOf(slowly(30, 1, 10), 30, 60_000)).toBe('whole');
  });
});
