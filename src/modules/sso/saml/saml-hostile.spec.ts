import fc from 'fast-check';
import { SAML_NOW, SamlSignIns } from '../../../../test/support/saml-sign-ins.js';
import { createSamlKey } from './saml-key.js';
import { SamlRefused } from './saml-refused.js';
import type { SamlAnswer } from './saml-response.js';

const LIMIT = 262_144;
const encoded = (bytes: string | Buffer): string => Buffer.from(bytes).toString('base64');
const filledWith = (unit: string): number => Math.floor((LIMIT - 6_000) / unit.length);

/** On a slow machine that is busy. It takes a tenth of that. */
const LITTLE_MS = 5_000;

let at: SamlSignIns;
/** The right certificate is the last of ten. */
let wrong: string[];

beforeAll(async () => {
  at = await SamlSignIns.create();
  wrong = [];
  while (wrong.length < 9) wrong.push((await createSamlKey('idp.test', SAML_NOW)).certificate);
});

async function answerTo(base64: string): Promise<SamlAnswer | undefined> {
  try {
    return await at.verify(base64);
  } catch (error) {
    if (error instanceof SamlRefused) return undefined;
    throw error;
  }
}

describe('a signed response with one byte changed', () => {
  it.each(['assertion', 'both'] as const)('is refused, or says the same (%s signed)', async (sign) => {
    const signed = Buffer.from(at.response({ sign }), 'base64');
    const answer = await answerTo(encoded(signed));
    expect(answer).toBeDefined();
    let refused = 0;
    const runs = 250;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(signed.length - 1),
        fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from(' <>&"\'/=#:;!?-\n\r\t0'))),
        fc.constantFrom('replace', 'insert', 'remove'),
        async (place, byte, how) => {
          const inserted = how === 'remove' ? [] : [byte];
          const rest = signed.subarray(how === 'insert' ? place : place + 1);
          const changed = await answerTo(
            encoded(Buffer.concat([signed.subarray(0, place), Buffer.from(inserted), rest])),
          );
          if (changed === undefined) refused++;
          else expect(changed).toEqual(answer);
        },
      ),
      { numRuns: runs },
    );
    expect(refused).toBeGreaterThan(runs / 2);
  });

  it('is refused for whatever else is sent', async () => {
    const xml = fc.array(
      fc.oneof(
        fc.constantFrom(
          '<a>',
          '</a>',
          '<a/>',
          ' b="c"',
          '<!--',
          '-->',
          '<![CDATA[',
          '<?xml version="1.0"?>',
          '&#x',
          '&lt;',
        ),
        fc.string(),
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          xml.map((parts) => encoded(parts.join(''))),
          fc.string(),
        ),
        async (base64) => {
          expect(await answerTo(base64)).toBeUndefined();
        },
      ),
    );
  });
});

describe('a response as large as allowed', () => {
  const inExtensions = (content: string) => (xml: string) =>
    xml.replace('</samlp:Status>', () => `</samlp:Status><samlp:Extensions>${content}</samlp:Extensions>`);
  const spread = (count: number, of: (index: number) => string): string =>
    Array.from({ length: count }, (_, at) => of(at)).join('');

  it.each<[string, string, (xml: string) => string]>([
    ['nested as deep as it goes', 'too_complex', () => '<a>'.repeat(LIMIT / 3 - 1)],
    ['nested and closed', 'too_complex', () => '<a>'.repeat(36_000) + '</a>'.repeat(36_000)],
    ['of small elements', 'too_complex', (xml) => inExtensions('<a/>'.repeat(filledWith('<a/>')))(xml)],
    ['of attributes', 'too_complex', () => `<a ${spread(20_000, (index) => `a${index}="" `)}/>`],
    ['of opening brackets', 'not_xml', () => '<'.repeat(LIMIT)],
    ['of ampersands', 'not_xml', () => `<a>${'&'.repeat(LIMIT - 10)}</a>`],
    ['of quotes', 'not_xml', () => `<a ${'"'.repeat(LIMIT - 10)}`],
    ['of one name', 'not_xml', () => `<${'a'.repeat(LIMIT - 10)}`],
    ['of spaces in a tag', 'not_xml', () => `<a${' '.repeat(LIMIT - 10)}`],
    ['of spaces before anything', 'not_xml', () => ' '.repeat(LIMIT - 10)],
    ['of unfinished comments', 'comment_not_allowed', () => `<a>${'<!--'.repeat(LIMIT / 4 - 2)}`],
    [
      'of as many elements as allowed, with namespaces',
      'accepted',
      inExtensions(spread(2_400, (index) => `<a xmlns:n${index}="urn:${index}" n${index}:b=""/>`)),
    ],
    [
      'of namespaces that are all in scope',
      'accepted',
      inExtensions(
        spread(20, (depth) => `<a ${spread(31, (index) => `xmlns:n${depth}_${index}="u" `)}>`) +
          spread(2_300, (index) => `<n${index % 20}_${index % 31}:b/>`) +
          '</a>'.repeat(20),
      ),
    ],
    ['of text', 'accepted', inExtensions('&amp;'.repeat(filledWith('&amp;')))],
    ['of IDs', 'accepted', inExtensions(spread(2_400, (index) => `<a ID="_${index}" Id="a${index}" id="b${index}"/>`))],
  ])('%s, takes little time', async (_, verdict, change) => {
    const base64 = at.response({ after: change });
    expect(Buffer.from(base64, 'base64').length).toBeLessThanOrEqual(LIMIT);
    const { entityId, certificate } = at.idp;
    const started = performance.now();
    expect(await at.verdict(base64, { idp: { entityId, certificates: [...wrong, certificate] } })).toBe(verdict);
    expect(performance.now() - started).toBeLessThan(LITTLE_MS);
  });

  it('that nobody listed has signed, takes next to no time', async () => {
    const base64 = at.response({ after: inExtensions('<a b="c"/>'.repeat(2_400)) });
    const { entityId } = at.idp;
    const started = performance.now();
    expect(await at.verdict(base64, { idp: { entityId, certificates: wrong } })).toBe('signature_invalid');
    expect(performance.now() - started).toBeLessThan(LITTLE_MS / 10);
  });

  it('with signed namespaces and attributes in it, takes little time', async () => {
    const statement =
      '<saml:AttributeStatement><saml:Attribute Name="groups">' +
      spread(
        1_200,
        (index) =>
          `<saml:AttributeValue xmlns:xs="urn:xs" xmlns:xsi="urn:xsi" xsi:type="xs:string">` +
          `group-${index} of the directory</saml:AttributeValue>`,
      ) +
      '</saml:Attribute></saml:AttributeStatement>';
    const base64 = at.response({
      before: (xml) => xml.replace(/<saml:AttributeStatement>.*<\/saml:AttributeStatement>/, statement),
    });
    const started = performance.now();
    expect((await at.verify(base64)).attributes.get('groups')).toHaveLength(1_200);
    expect(performance.now() - started).toBeLessThan(LITTLE_MS);
  });
});
