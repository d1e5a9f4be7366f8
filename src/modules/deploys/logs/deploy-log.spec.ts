import type { LogLine } from '../domain/deploy-facts.js';
import { DeployLog, MAX_BYTES, MAX_LINES } from './deploy-log.js';
import type { Mask } from '../../../platform/secrets/secret-mask.js';

const written: LogLine[] = [];
const unmasked = jest.fn();
const open = (size = { lines: 0, bytes: 0 }, mask: Mask | null = (text) => text.replaceAll('hidden', '*')): DeployLog =>
  new DeployLog({
    size,
    mask,
    now: () => new Date(0),
    unmasked,
    write: (batch) => {
      written.push(...batch);
      return Promise.resolve();
    },
    failed: (error) => {
      throw error as Error;
    },
  });

beforeEach(() => {
  written.length = 0;
  unmasked.mockClear();
});

describe('the log of a deploy', () => {
  it('numbers lines in order and without gaps after those of an earlier attempt', async () => {
    const log = open({ lines: 3, bytes: 10 });
    for (let index = 0; index < 1_200; index++) log.line('build', 'stdout', `line ${index}`);
    await log.flushed();
    expect(written.map(({ seq }) => seq)).toEqual(Array.from({ length: 1_200 }, (_, index) => index + 4));
    expect(written.at(-1)).toMatchObject({ text: 'line 1199', phase: 'build', stream: 'stdout' });
  });

  it('is cut with a note at the limit of lines, and still takes lines of the platform', async () => {
    const log = open({ lines: MAX_LINES - 2, bytes: 0 });
    for (const text of ['one', 'two', 'three']) log.line('build', 'stdout', text);
    log.note('live', 'It is ready.');
    await log.flushed();
    expect(written.map(({ text }) => text)).toEqual([
      'one',
      'two',
      expect.stringMatching(/^The log is cut here/),
      'It is ready.',
    ]);
  });

  it('is cut at the limit of bytes', async () => {
    const log = open({ lines: 0, bytes: MAX_BYTES - 5 });
    for (const text of ['123456', 'not any more']) log.line('build', 'stdout', text);
    await log.flushed();
    expect(written).toHaveLength(2);
  });

  it('stays cut for the next attempt', async () => {
    const log = open({ lines: MAX_LINES + 1, bytes: 0 });
    log.line('build', 'stderr', 'not any more');
    log.note('build', 'The platform may say that much.');
    await log.flushed();
    expect(written.map(({ stream }) => stream)).toEqual(['system']);
  });

  it('stops and shows nothing when the mask fails', async () => {
    const log = open(undefined, (text) => {
      if (text.includes('fail')) throw new Error(text);
      return text;
    });
    for (const text of ['before', 'a value that fails', 'after']) log.line('build', 'stdout', text);
    log.note('live', 'It is ready.');
    await log.flushed();
    expect(written.map(({ text }) => text)).toEqual(['before', expect.stringMatching(/^The log stops here/)]);
    expect(unmasked).toHaveBeenCalledTimes(1);
  });

  it('shows nothing when there is no mask', async () => {
    const log = open(undefined, null);
    log.line('build', 'stdout', 'a value');
    await log.flushed();
    expect(written.map(({ text }) => text)).toEqual([expect.stringMatching(/^The log stops here/)]);
  });

  it('masks secrets, shortens long lines and removes control characters', async () => {
    const log = open();
    log.line('build', 'stdout', 'a hidden \u001b[31mred\u001b[0m \u0000nul\u0007 \ud800 \u001b]0;title\u0007tab\there');
    log.line('build', 'stdout', 'x'.repeat(9_000));
    await log.flushed();
    expect(written[0]!.text).toBe('a * red nul \ufffd tab\there');
    expect(written[1]!.text).toHaveLength(8_192 + 2);
  });
});
