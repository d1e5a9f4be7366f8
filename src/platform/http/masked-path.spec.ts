import fc from 'fast-check';
import { maskedPath } from './masked-path.js';

const SECRET = `svc_hook_${'a1'.repeat(19)}b`;

describe('the path in the log', () => {
  it.each([
    [`/webhooks/things/dhk_1/${SECRET}`, '/webhooks/things/dhk_1/***'],
    [`/webhooks/things/dhk_1/${SECRET}/more`, '/webhooks/things/dhk_1/***'],
    [`/webhooks/things/dhk_1/%73vc%5Fhook_x`, '/webhooks/things/dhk_1/***'],
    [`//webhooks/things/dhk_1/${SECRET}`, '//webhooks/things/dhk_1/svc_hook_***'],
    [`/other/${SECRET}/x`, '/other/svc_hook_***/x'],
    [`/other/svc%5Fhook%5Fabc`, '/other/svc%5Fhook%5F***'],
    ['/webhooks/github', '/webhooks/github'],
    ['/api/v1/projects/svc', '/api/v1/projects/svc'],
  ])('of %s is %s', (path, shown) => {
    expect(maskedPath(path)).toBe(shown);
  });

  it('never shows what follows the id of a hook', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9%_.~/-]{8,60}$/), (secret) => {
        expect(maskedPath(`/webhooks/things/dhk_1/${secret}`)).toBe('/webhooks/things/dhk_1/***');
      }),
    );
  });
});
