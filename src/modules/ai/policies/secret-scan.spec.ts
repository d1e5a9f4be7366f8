import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createToken } from '../../auth/token-format.js';
import { findSecret } from './secret-scan.js';

const KEY = createToken('pat', Buffer.alloc(24, 7));
const escaped = (text: string): string =>
  text.replace(/./g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
const MIB = 1_048_576;

describe('a request', () => {
  it.each([
    ['in a message', { messages: [{ role: 'user' }, {}, { content: `key: ${KEY}.` }] }, 'messages[2].content'],
    ['in a part of a message', { messages: [{ content: [{ text: KEY }] }] }, 'messages[0].content[0].text'],
    ['between letters', { prompt: `${KEY}abc` }, 'prompt'],
    ['in a field that nobody knows', { future: { nested: [KEY] } }, 'future.nested[0]'],
    ['as the name of a field', { tools: [{ [KEY]: 1 }] }, 'tools[0]'],
    ['as the name of a field of the body', { [KEY]: 1 }, 'The body'],
    [
      'in the arguments of a tool, escaped',
      { messages: [{ arguments: `{"key":"${escaped(KEY)}"}` }] },
      'messages[0].arguments',
    ],
    ['escaped twice', { input: JSON.stringify(`{"key":"${escaped(KEY)}"}`) }, 'input'],
    ['with one character escaped', { input: KEY.replace('_', '\\u005F') }, 'input'],
    ['at a depth that is not named', deep(12, KEY), 'a.a.a.a.a.a.a.a'],
  ])('with a key %s is found', async (_, body, path) => {
    expect(await findSecret(body)).toBe(path);
  });

  it.each([
    ['a wrong checksum', { input: `${KEY.slice(0, -1)}${KEY.endsWith('a') ? 'b' : 'a'}` }],
    ['a part of a key', { input: KEY.slice(0, -1) }],
    ['an example', { input: `svc_pat_${'x'.repeat(39)}` }],
    ['the key in two texts', { input: [KEY.slice(0, 20), KEY.slice(20)] }],
    ['other values', { a: 1, b: null, c: true, d: [[], {}], e: '\\u00', f: '\\'.repeat(99) }],
  ])('with %s is not', async (_, body) => {
    expect(await findSecret(body)).toBeUndefined();
  });

  it('has its key found at every place of a long text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 300_000 }), fc.boolean(), async (before, isEscaped) => {
        const text = 'x'.repeat(before) + (isEscaped ? escaped(KEY) : KEY) + 'y'.repeat(10);
        expect(await findSecret({ input: text })).toBe('input');
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['one text', () => ({ input: 'plain text of a prompt. '.repeat((8 * MIB) / 24) })],
    ['base64', () => ({ input: randomBytes(6 * MIB).toString('base64') })],
    ['prefixes', () => ({ input: 'svc_'.repeat(2 * MIB) })],
    ['keys with a wrong checksum', () => ({ input: `svc_pat_${'x'.repeat(39)}`.repeat((8 * MIB) / 47) })],
    ['escapes', () => ({ input: '\\u0073'.repeat((8 * MIB) / 6) })],
    ['backslashes', () => ({ input: `\\u00${'\\'.repeat(8 * MIB)}` })],
    ['short texts', () => ({ input: Array.from({ length: 2 * MIB }, () => 'x') })],
    ['fields', () => Object.fromEntries(Array.from({ length: MIB / 8 }, (_, index) => [`k${index}`, 'x']))],
    ['empty lists', () => ({ input: Array.from({ length: 2 * MIB }, () => []) })],
  ])('of 8 MiB of %s is searched without holding up others', async (_, make) => {
    const body = make();
    // Processor time of this thread, as other programs may keep it waiting.
    const begun = process.threadCpuUsage();
    const msSince = (from: NodeJS.CpuUsage): number => {
      const { user, system } = process.threadCpuUsage(from);
      return (user + system) / 1_000;
    };
    let longestMs = 0;
    let last = begun;
    let isOver = false;
    const watch = (): void => {
      longestMs = Math.max(longestMs, msSince(last));
      last = process.threadCpuUsage();
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    expect(await findSecret(body)).toBeUndefined();
    isOver = true;
    expect(msSince(begun)).toBeLessThan(10_000);
    expect(longestMs).toBeLessThan(1_000);
  });
});

function deep(levels: number, value: unknown): Record<string, unknown> {
  return { a: levels === 1 ? value : deep(levels - 1, value) };
}
