import { execFileSync } from 'node:child_process';
import { tarOf } from './tar-entries.js';

describe('tarOf', () => {
  it('writes archives that tar reads, also one after the other', () => {
    const archive = Buffer.concat([
      tarOf([{ name: './one', content: Buffer.from('first') }]),
      Buffer.alloc(1_024),
      tarOf([
        { name: './two', content: Buffer.alloc(1_024, 'x') },
        { name: './three', content: Buffer.alloc(0) },
      ]),
    ]);
    const list = execFileSync('tar', ['--ignore-zeros', '-tf', '-'], { input: archive }).toString();
    expect(list).toBe('./one\n./two\n./three\n');
    expect(execFileSync('tar', ['--ignore-zeros', '-xOf', '-', './one'], { input: archive }).toString()).toBe('first');
  });
});
