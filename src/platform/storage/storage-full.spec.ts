import { QueryFailedError } from 'typeorm';
import { isStorageFull } from './storage-full.js';

const withCode = (code: string): Error => Object.assign(new Error('refused'), { code });

describe('isStorageFull', () => {
  it.each(['ENOSPC', 'EDQUOT', 'EROFS'])('is true for %s of a file', (code) => {
    expect(isStorageFull(withCode(code))).toBe(true);
  });

  it.each(['53100', '58030'])('is true for %s of a statement', (code) => {
    expect(isStorageFull(new QueryFailedError('INSERT', [], withCode(code)))).toBe(true);
  });

  it.each([
    withCode('ENOENT'),
    new QueryFailedError('INSERT', [], withCode('23505')),
    new Error('ENOSPC'),
    'ENOSPC',
    undefined,
  ])('does not hold for %s', (error) => {
    expect(isStorageFull(error)).toBe(false);
  });
});
