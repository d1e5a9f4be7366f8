import fc from 'fast-check';
import { generateKeyPairSync } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { canonicalXml } from './canonical-xml.js';
import { escapeXml } from './escape-xml.js';
import { readXml, XmlRefused } from './read-xml.js';

const RULES = { allowComments: false, maxElements: 100 };
const fault = (text: string, rules = RULES): string => {
  try {
    readXml(text, rules);
    return 'accepted';
  } catch (error) {
    return error instanceof XmlRefused ? error.fault : String(error);
  }
};

describe('readXml', () => {
  it('reads elements, attributes, namespaces and text', () => {
    const root = readXml(
      '<?xml version="1.0"?>\r\n<a xmlns="urn:a" xmlns:b="urn:b" c=\'1 "\' b:c="&lt;&#65;&#x1F98A;\t\n">' +
        'x<b:d/>\r\n&amp;<e xmlns=""/></a>\n',
      RULES,
    );
    expect([root.namespace, root.localName, root.text]).toEqual(['urn:a', 'a', undefined]);
    expect(root.attributes).toEqual([
      { prefix: '', localName: 'c', namespace: '', value: '1 "' },
      { prefix: 'b', localName: 'c', namespace: 'urn:b', value: '<A🦊  ' },
    ]);
    expect(root.elements.map(({ namespace, localName }) => [namespace, localName])).toEqual([
      ['urn:b', 'd'],
      ['', 'e'],
    ]);
    expect(root.children.filter((child) => typeof child === 'string')).toEqual(['x', '\n&']);
    expect([...root.subtree()].map(({ localName }) => localName)).toEqual(['a', 'd', 'e']);
  });

  it('skips comments only where they are allowed', () => {
    const text = '<!-- a --><a>b<!-- - -->c</a><!---->';
    expect(fault(text)).toBe('comment');
    expect(readXml(text, { ...RULES, allowComments: true }).text).toBe('bc');
    for (const unfinished of ['<a><!-- </a>', '<a><!--b--c--></a>', '<a/><!--', '<!-->'])
      expect(fault(unfinished, { ...RULES, allowComments: true })).toBe('malformed');
  });

  it.each([
    ['<a xmlns:b=""/>', 'malformed'],
    ['<a xmlns:xml="urn:x"/>', 'malformed'],
    ['<a xmlns:xmlns="urn:x"/>', 'malformed'],
    ['<a xmlns:b="urn:x" xmlns:c="urn:x" b:d="" c:d=""/>', 'malformed'],
    ['<a:b:c xmlns:a="urn:x"/>', 'malformed'],
    ['<:a/>', 'malformed'],
    ['<ä/>', 'malformed'],
    ['<a b=c/>', 'malformed'],
    ['<a b="<"/>', 'malformed'],
    ['<a b="1"c="2"/>', 'malformed'],
    ['<a b ="1"/>', 'malformed'],
    ['<a>]]></a>', 'malformed'],
    ['<a>&nbsp;</a>', 'malformed'],
    ['<a>&#xD800;</a>', 'malformed'],
    ['<a>&#x110000;</a>', 'malformed'],
    ['<a>&#0x41;</a>', 'malformed'],
    ['<a>\ud800</a>', 'malformed'],
    ['<a>\ufffe</a>', 'malformed'],
    ['<a/ >', 'malformed'],
    ['< a/>', 'malformed'],
    ['<a></b>', 'malformed'],
    ['<a></a></a>', 'malformed'],
    ['<!doctype a><a/>', 'doctype'],
    ['<a><!ENTITY b "c"></a>', 'doctype'],
    ['<a><![cdata[]]></a>', 'doctype'],
    ['<a><![CDATA[]]></a>', 'markup'],
    [' <?xml version="1.0"?><a/>', 'markup'],
    ['<?xml version="1.0" encoding="latin1"?><a/>', 'encoding'],
    [`<a>${'<b/>'.repeat(100)}</a>`, 'too_complex'],
    ['<a>'.repeat(25) + '</a>'.repeat(25), 'too_complex'],
    ['<a>'.repeat(24) + '</a>'.repeat(24), 'accepted'],
  ])('%j is %s', (text, expected) => {
    expect(fault(text)).toBe(expected);
  });
});

const { privateKey, publicKey: publicCert } = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const KEYS = { privateKey, publicCert };

const name = fc.constantFrom('a', 'b', 'p:a', 'q:b');
const content = fc
  .string({ unit: 'grapheme' })
  .filter((text) => !/[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]|[\u0085\u2028]/u.test(text));
const references = (text: string): string =>
  escapeXml(text).replace(/[\t\n\r]/g, (found) => `&#${found.charCodeAt(0)};`);
const declarations = fc.constantFrom(
  '',
  ' xmlns="urn:a"',
  ' xmlns=""',
  ' xmlns:p="urn:z"',
  ' xmlns:q="urn:b" xmlns="urn:b"',
);
const { element } = fc.letrec<{ element: string; inner: string }>((tie) => ({
  inner: fc.oneof({ maxDepth: 3 }, content.map(references), tie('element')),
  element: fc
    .tuple(
      name,
      declarations,
      fc.uniqueArray(fc.tuple(fc.constantFrom('c', 'C', 'p:c', 'q:a'), content), { selector: ([of]) => of }),
      fc.array(tie('inner'), { maxLength: 4 }),
    )
    .map(([of, declared, attributes, children]) => {
      const written = attributes.map(([attribute, value]) => ` ${attribute}="${references(value)}"`);
      return `<${of}${declared}${written.join('')}>${children.join('')}</${of}>`;
    }),
}));

describe('canonicalXml', () => {
  it('is what the library makes of the same element', () => {
    fc.assert(
      fc.property(element, (inner) => {
        const xml = `<r ID="_r" xmlns:p="urn:p" xmlns:q="urn:q">${inner}</r>`;
        const canonical = canonicalXml(readXml(xml, { ...RULES, maxElements: 10_000 }));
        expect(canonical).toBe(canonicalByLibrary(xml));
        expect(canonicalXml(readXml(canonical, { ...RULES, maxElements: 10_000 }))).toBe(canonical);
      }),
      { numRuns: 300 },
    );
  });
});

function canonicalByLibrary(xml: string): string {
  const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
  const signer = new SignedXml({
    ...KEYS,
    canonicalizationAlgorithm: exclusive,
    signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  });
  const digestAlgorithm = 'http://www.w3.org/2001/04/xmlenc#sha256';
  const transforms = ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', exclusive];
  signer.addReference({ xpath: '/*', transforms, digestAlgorithm });
  signer.computeSignature(xml);
  const check = new SignedXml({ publicCert: KEYS.publicCert });
  check.loadSignature(signer.getSignatureXml());
  expect(check.checkSignature(signer.getSignedXml())).toBe(true);
  return check.getSignedReferences()[0]!;
}
