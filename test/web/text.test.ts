import fc from 'fast-check';
import { readEnvFile } from '../../web/src/data/env-file.js';
import { scheduleInWords } from '../../web/src/data/schedule-words.js';
import { piecesOf } from '../../web/src/log/ansi.js';
import { nextPath } from '../../web/src/shell/next-path.js';

const textOf = (line: string): string =>
  piecesOf(line)
    .map(({ text }) => text)
    .join('');

describe('a line of a log', () => {
  it('has the colors of the terminal as classes, until they end', () => {
    expect(piecesOf('a \u001b[1;31mb\u001b[39m c\u001b[0m d')).toEqual([
      { text: 'a ', look: '' },
      { text: 'b', look: 'font-semibold text-bad' },
      { text: ' c', look: 'font-semibold' },
      { text: ' d', look: '' },
    ]);
    expect(piecesOf('\u001b[31m\u001b[32mok')).toEqual([{ text: 'ok', look: 'text-good' }]);
  });

  it('leaves out all else that a terminal obeys', () => {
    expect(textOf('\u001b]0;title\u0007a\u001b[2Kb\u001b[?25lc\u001b[999md')).toBe('abcd');
  });

  it('keeps every character of its text, whatever sequences are between', () => {
    const text = fc.string().map((part) => part.replaceAll('\u001b', ''));
    const sequence = fc
      .array(fc.integer({ min: 0, max: 120 }), { maxLength: 4 })
      .map((codes) => `\u001b[${codes.join(';')}m`);
    fc.assert(
      fc.property(fc.array(fc.tuple(text, sequence)), (parts) => {
        expect(textOf(parts.flat().join(''))).toBe(parts.map(([part]) => part).join(''));
      }),
    );
  });
});

describe('the address after signing in', () => {
  it.each(['/app/acme', '/app/acme/keys?all=1#x'])('may be %s', (path) => {
    expect(nextPath(`?next=${encodeURIComponent(path)}`)).toBe(path);
  });

  it.each([
    'https://evil.example/app/',
    '//evil.example/app/',
    '/application',
    '/app/\\evil.example',
    '/app/\n/evil.example',
    'javascript:alert(1)',
    '',
  ])('may not be %j', (path) => {
    expect(nextPath(`?next=${encodeURIComponent(path)}`)).toBe('/app');
  });
});

describe('a pasted .env file', () => {
  it('is read as dotenv does', () => {
    const text = [
      '\uFEFF# A comment',
      'PLAIN=one two # not this',
      'export HASH="a # b"',
      "SINGLE='a\\nb'",
      'DOUBLE="a\\nb"',
      'KEY="first',
      'second"',
      'EMPTY=',
      'OPEN="not closed',
      'no variable',
      'PLAIN=last\r',
    ].join('\n');
    expect(readEnvFile(text)).toEqual({
      variables: [
        { name: 'PLAIN', value: 'last' },
        { name: 'HASH', value: 'a # b' },
        { name: 'SINGLE', value: 'a\\nb' },
        { name: 'DOUBLE', value: 'a\nb' },
        { name: 'KEY', value: 'first\nsecond' },
        { name: 'EMPTY', value: '' },
        { name: 'OPEN', value: '"not closed' },
      ],
      faults: [10],
    });
  });

  it('keeps every value between single quotes', () => {
    const value = fc.string().map((text) => text.replace(/['\r]/g, ''));
    fc.assert(
      fc.property(fc.array(value), (values) => {
        const text = values.map((each, index) => `V${index}='${each}'`).join('\n');
        expect(readEnvFile(text).variables.map((each) => each.value)).toEqual(values);
      }),
    );
  });
});

describe('the schedule of a cron', () => {
  it.each([
    ['* * * * *', 'Every minute'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['*/7 * * * *', undefined],
    ['5 * * * *', 'Every hour at 05 past'],
    ['0 */6 * * *', 'Every 6 hours'],
    ['0 5 * * *', 'Every day at 05:00'],
    ['30 9 * * mon-fri', 'Monday to Friday at 09:30'],
    ['0 9 * * 7', 'Every Sunday at 09:00'],
    ['0 9 1 * *', 'On day 1 of each month at 09:00'],
    ['0 9 1 * 1', undefined],
    ['0 9 * jan *', undefined],
    ['', undefined],
  ])('%s is %s', (schedule, words) => {
    expect(scheduleInWords(schedule)).toBe(words);
  });
});
