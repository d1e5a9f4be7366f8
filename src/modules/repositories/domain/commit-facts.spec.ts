import fc from 'fast-check';
import { messageOf, readCommits, timeOfSeconds } from './commit-facts.js';

const SHA = 'a'.repeat(40);

describe('what is shown of commits', () => {
  it('is the hash, the time and the first line of the message', () => {
    expect(readCommits(`${SHA} 1700000000 Add the shop\nnoise\n${'b'.repeat(64)} 0 \n`)).toEqual([
      { sha: SHA, message: 'Add the shop', committedAt: new Date('2023-11-14T22:13:20Z') },
      { sha: 'b'.repeat(64), message: null, committedAt: new Date(0) },
    ]);
  });

  it('never shows control characters, a half character or more than 200 characters', () => {
    expect(messageOf('\u001b[31mred\u0000\tx')).toBe('[31mredx');
    expect(messageOf('cut in the middle \ufffd\ufffd')).toBe('cut in the middle');
    expect(Array.from(messageOf('😀'.repeat(300))!)).toHaveLength(200);
    expect(messageOf(' \n ')).toBeNull();
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), (text) => {
        const message = messageOf(text);
        expect(message === null || (Array.from(message).length <= 200 && !/\p{Cc}/u.test(message))).toBe(true);
      }),
    );
  });

  it('has no time where an author claims one that no calendar has', () => {
    expect([timeOfSeconds(253_402_300_800), timeOfSeconds(999_999_999_999_999), timeOfSeconds(-1)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
