import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';

import { LineOutput } from './line-output.js';
import { type OutputPace } from './output-pace.js';

const AMPLE: OutputPace = {
  linesPerSecond: 1e9,
  burstLines: 1e9,
  bytesPerSecond: 1e9,
  burstBytes: 1e9,
  costOfDropped: 1,
};

describe('LineOutput', () => {
  const read = (
    pace: OutputPace,
    bytes = 1e9,
  ): { stream: PassThrough; output: LineOutput; lines: string[]; dropped: number[] } => {
    const [lines, dropped] = [[] as string[], [] as number[]];
    const output = new LineOutput({
      line: (_, text) => lines.push(text),
      dropped: (count) => dropped.push(count),
      bytes,
      pace,
    });
    const stream = new PassThrough();
    output.read('stdout', stream);
    return { stream, output, lines, dropped };
  };

  it('delivers the written lines, however they were split into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('a', 'bc', '\n', '\n\n', 'ü'), { maxLength: 40 }), async (pieces) => {
        const { stream, output, lines } = read(AMPLE);
        for (const piece of pieces) stream.write(piece);
        stream.end();
        await Promise.all(output.ended);
        const text = pieces.join('');
        const wanted = text.split('\n');
        if (wanted.at(-1) === '') wanted.pop();
        expect(lines).toEqual(wanted);
      }),
      { numRuns: 50 },
    );
  });

  it('delivers every line or counts it as dropped', async () => {
    const { stream, output, lines, dropped } = read({ ...AMPLE, linesPerSecond: 10, burstLines: 100 });
    for (let chunk = 0; chunk < 50; chunk++) stream.write('\n'.repeat(1_000));
    stream.end('the last word');
    await Promise.all(output.ended);
    expect(lines.length).toBeGreaterThanOrEqual(100);
    expect(lines.length).toBeLessThan(1_000);
    expect(lines.at(-1)).toBe('the last word');
    expect(lines.length - 1 + dropped.reduce((sum, count) => sum + count, 0)).toBe(50_000);
    // The notices stand where lines are missing, and one notice covers many lines.
    expect(dropped.length).toBeLessThan(20);
  });

  it('delivers the last lines although they were dropped just before the end', async () => {
    const { stream, output, lines, dropped } = read({ ...AMPLE, linesPerSecond: 10, burstLines: 1_000 });
    stream.write(`${'flood\n'.repeat(5_000)}why it ended\nthe last word\n`);
    stream.end();
    await Promise.all(output.ended);
    expect(lines.slice(-2)).toEqual(['why it ended', 'the last word']);
    expect(lines.length + dropped.reduce((sum, count) => sum + count, 0)).toBe(5_002);
  });

  it('leaves bytes beyond the pace in the pipe, and reads the rest at the end', async () => {
    const { stream, output, lines } = read({ ...AMPLE, bytesPerSecond: 1_000, burstBytes: 1_000 });
    stream.write(`${'x'.repeat(9_999)}\n`);
    await sleep(20);
    expect(stream.isPaused()).toBe(true);
    for (let line = 0; line < 50; line++) stream.write(`line ${line}\n`);
    await sleep(50);
    expect(lines).toHaveLength(1);
    output.finish();
    stream.end();
    await Promise.all(output.ended);
    expect(lines).toHaveLength(51);
  });

  it('counts dropped bytes at their cost, so that a program that must end soon does not wait for them', async () => {
    const flooded = async (costOfDropped: number): Promise<boolean> => {
      const pace = { linesPerSecond: 1, burstLines: 10, bytesPerSecond: 1, burstBytes: 2_000, costOfDropped };
      const { stream } = read({ ...AMPLE, ...pace });
      stream.write('\n'.repeat(10_000));
      await sleep(20);
      return stream.isPaused();
    };
    expect(await flooded(1)).toBe(true);
    expect(await flooded(1 / 32)).toBe(false);
  });

  it('continues at the pace', async () => {
    const { stream, output, lines } = read({ ...AMPLE, bytesPerSecond: 20_000, burstBytes: 2_000 });
    const source = setInterval(() => {
      stream.write(`${'x'.repeat(999)}\n`);
    }, 1);
    for (let wait = 0; lines.length < 10 && wait < 1_000; wait++) await sleep(10);
    clearInterval(source);
    expect(lines.length).toBeGreaterThanOrEqual(10);
    output.finish();
    stream.end();
    await Promise.all(output.ended);
  });
});
