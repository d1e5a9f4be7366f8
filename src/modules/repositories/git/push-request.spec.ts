import fc from 'fast-check';
import { PushRequest } from './push-request.js';

const line = (text: string): string => (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text;
const COMMAND = `${'0'.repeat(40)} ${'a'.repeat(40)} refs/heads/main`;
const CAPABLE = line(`${COMMAND}\0 report-status side-band-64k push-options agent=git/2`);

function optionsOf(text: string | Buffer, places: readonly number[] = []): readonly string[] {
  const bytes = Buffer.from(text);
  const request = new PushRequest();
  let start = 0;
  for (const end of [...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    request.see(bytes.subarray(start, end));
    start = end;
  }
  return request.options;
}

describe('PushRequest', () => {
  it('reads the options behind the commands, however the request is cut', () => {
    const text = `${CAPABLE}${line(COMMAND)}0000${line('wait')}${line('ci.skip=1\n')}0000PACK${'\0'.repeat(100)}`;
    fc.assert(
      fc.property(fc.array(fc.nat()), (places) => {
        expect(optionsOf(text, places)).toEqual(['wait', 'ci.skip=1']);
      }),
    );
  });

  it.each([
    ['a client without push options', `${line(`${COMMAND}\0 report-status`)}0000${line('wait')}0000`],
    ['no commands', '0000'],
    ['an option in the place of a command', `${line('wait')}0000${line('wait')}`],
    ['a broken size', 'zzzzwait'],
  ])('finds no option for %s', (_what, text) => {
    expect(optionsOf(text)).toEqual([]);
  });

  it('keeps only a few options', () => {
    expect(optionsOf(`${CAPABLE}0000${line('x').repeat(10_000)}0000`)).toHaveLength(16);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        optionsOf(Buffer.from(bytes));
      }),
    );
  });
});
