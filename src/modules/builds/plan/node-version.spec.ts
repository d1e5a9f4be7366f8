import { nodeVersionFor } from './node-version.js';

describe('the Node of a build', () => {
  it.each([
    ['*', '24'],
    ['>=18', '24'],
    ['>=20 <23', '22'],
    ['>= 20.9.0', '24'],
    ['^20.9 || ^22', '22'],
    ['20.x', '20'],
    ['20', '20'],
    ['v22.3.0', '22'],
    ['~22.1', '22'],
    ['<22', '20'],
    ['<22.0.0', '20'],
    ['<=22', '22'],
    ['18 - 22', '22'],
    ['lts/jod', '22'],
    ['lts/*', '24'],
    ['>22', '24'],
    ['>=24', '24'],
    ['nonsense', null],
    ['^18', null],
    ['>24', null],
  ])('for %j is %s', (range, version) => {
    expect(nodeVersionFor(range, ['24', '22', '20'])).toBe(version);
  });

  it('is an available version', () => {
    expect(nodeVersionFor('>=20', ['24'])).toBe('24');
    expect(nodeVersionFor('22.x', ['24', '20'])).toBeNull();
  });
});
