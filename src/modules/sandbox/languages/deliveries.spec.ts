import * as fc from 'fast-check';

import { type ArtifactError, isArtifactPath, MAX_ARTIFACT_ERRORS, MAX_ARTIFACTS } from '../domain/artifacts.js';
import { MAX_RESULTS, MAX_RESULTS_BYTES } from '../domain/rich-result.js';
import { type Deliveries, DeliveryReader } from './deliveries.js';

interface Received {
  readonly path: string;
  readonly sizeBytes: number;
  content: Buffer;
}

const BOUND = 1_000;

/** Reads the chunks as they are, and collects what the sink gets. */
async function read(
  chunks: readonly Buffer[],
  artifactBytes: number | null = BOUND,
): Promise<Deliveries & { files: Received[] }> {
  const files: Received[] = [];
  const reader = new DeliveryReader(
    { artifactBytes },
    {
      begin: (file) => {
        files.push({ ...file, content: Buffer.alloc(0) });
      },
      take: (piece) => {
        files.at(-1)!.content = Buffer.concat([files.at(-1)!.content, piece]);
        return Promise.resolve();
      },
    },
  );
  await Promise.all(chunks.map((chunk) => reader.take(chunk)));
  return { ...(await reader.end()), files };
}

const readText = (text: string): ReturnType<typeof read> => read([Buffer.from(text)]);

const codesOf = (errors: readonly ArtifactError[]): string[] => errors.map(({ code }) => code);

/** Cuts the bytes at these places. */
function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)).sort((one, other) => one - other), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

const name = fc.string({ minLength: 1, maxLength: 20 }).filter(isArtifactPath);
const file = fc.record({ path: name, content: fc.uint8Array({ maxLength: 15 }).map((bytes) => Buffer.from(bytes)) });
const frameOf = ({ path, content }: { path: string; content: Buffer }): Buffer =>
  Buffer.concat([Buffer.from(`#file ${Buffer.byteLength(path)} ${content.length}\n${path}`), content]);

describe('the report channel of a run with results and artifacts', () => {
  it('delivers what was written, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: MAX_ARTIFACTS }), fc.array(fc.nat()), async (files, places) => {
        const bytes = Buffer.concat([
          Buffer.from('\n{"error":1}\n#result text/html 3\n<b>'),
          ...files.map(frameOf),
          Buffer.from('#left 3 too_deep\na/b{"exit":3}\n#done\n'),
        ]);
        const found = await read(cut(bytes, places));
        expect(found.facts.toString()).toBe('\n{"error":1}\n{"exit":3}\n');
        expect(found.results).toEqual([{ type: 'text/html', data: '<b>' }]);
        expect(found.files.map(({ path, content }) => ({ path, content }))).toEqual(files);
        expect(found.errors).toEqual([{ path: 'a/b', code: 'too_deep', message: expect.any(String) }]);
      }),
    );
  });

  it('keeps every bound, whatever is written', async () => {
    const word = fc.oneof(
      fc.constantFrom(
        '#file 1 5\n',
        '#file 1 0\n',
        '#left 2 x\n',
        '#result image/png 4\n',
        '#done\n',
        '{}\n',
        'a',
        '/',
      ),
      fc
        .tuple(fc.constantFrom('file', 'left', 'result'), fc.integer(), fc.integer())
        .map((all) => `#${all.join(' ')}\n`),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 200 }), fc.array(fc.nat()), async (words, places) => {
        const { files, results, errors } = await read(cut(Buffer.from(words.join('')), places));
        expect(files.length).toBeLessThanOrEqual(MAX_ARTIFACTS);
        expect(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBeLessThanOrEqual(BOUND);
        for (const { path, sizeBytes, content } of files) {
          expect(isArtifactPath(path)).toBe(true);
          expect(content.length).toBeLessThanOrEqual(sizeBytes);
        }
        expect(results.length).toBeLessThanOrEqual(MAX_RESULTS);
        expect(errors.length).toBeLessThanOrEqual(MAX_ARTIFACT_ERRORS + 1);
      }),
    );
  });

  it.each([
    ['more bytes than allowed', `#file 1 ${BOUND + 1}\na`],
    ['a size that is no number', '#file 1 1e3\na'],
    ['a negative size', '#file 1 -1\na'],
    ['a path that is too long', `#file 501 1\n${'a'.repeat(502)}`],
    ['no path', '#file 0 1\na'],
    ['an unknown word', '#files 1 1\naa'],
    ['something after the end', '#done\n#file 1 1\naa'],
  ])('ends at %s', async (_what, text) => {
    const { files, errors } = await readText(`#file 1 1\nbc${text}#file 1 1\nbc`);
    expect(files).toHaveLength(1);
    expect(codesOf(errors)).toEqual(text.startsWith('#done') ? [] : ['not_sent']);
  });

  it('takes no artifacts from a run that sends none', async () => {
    const { files, errors } = await read([Buffer.from('#file 1 1\nbc#done\n')], null);
    expect(files).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('bounds results together, and takes images as base64 only', async () => {
    const large = 'x'.repeat(MAX_RESULTS_BYTES - 9);
    const { results } = await readText(
      `#result image/png 4\nAAAA#result image/png 3\nAA!#result text/plain 2\nok` +
        `#result text/plain ${large.length}\n${large}#result text/plain 1\nx`,
    );
    expect(results.map(({ type, data }) => [type, data.length])).toEqual([
      ['image/png', 4],
      ['text/plain', 2],
      ['text/plain', large.length],
    ]);
  });

  it('skips the content of a file whose name is none, and goes on', async () => {
    const names = ['../x', '/etc/x', 'a//b', 'a\\b', '.', 'a/..', 'x\u0000', 'x\n', '\u202Etxt', 'C:x', 'a.', ' '];
    const text = [...names, 'fine'].map((path) => `#file ${Buffer.byteLength(path)} 2\n${path}hi`).join('');
    const { files, errors } = await readText(`${text}#done\n`);
    expect(files).toEqual([{ path: 'fine', sizeBytes: 2, content: Buffer.from('hi') }]);
    expect(codesOf(errors)).toEqual(names.map(() => 'invalid_name'));
    expect(errors.some(({ path }) => /[\p{C}]/u.test(path ?? ''))).toBe(false);
  });

  it('takes a name of invalid bytes for none', async () => {
    const bytes = Buffer.concat([Buffer.from('#file 2 1\n'), Buffer.from([0xff, 0x61]), Buffer.from('x#done\n')]);
    const { files, errors } = await read([bytes]);
    expect(files).toEqual([]);
    expect(errors).toMatchObject([{ path: '\ufffda', code: 'invalid_name' }]);
  });
});
