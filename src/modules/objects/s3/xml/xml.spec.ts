import fc from 'fast-check';
import { S3Error } from '../s3-error.js';
import { all, readXml, textOf } from './xml-reader.js';
import { writeXml } from './xml-writer.js';

const TEXT = fc.constantFrom('a', ' ', '<', '&', ';', '"', '\u0001', '\n', '\r', '\u007f', 'é', '\uffff', '😀');

describe('XML of S3', () => {
  it('is read with attributes, namespaces and spaces left out', () => {
    const document = `<?xml version="1.0" encoding="UTF-8"?>
      <Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/" xmlns:xsi='x'>
        <Object><Key>a &amp; b&#x41;&#66;</Key></Object><Object ><Key/></Object>
      </Delete >`;
    const root = readXml(document);
    expect(root.name).toBe('Delete');
    expect(all(root, 'Object').map((object) => textOf(object, 'Key'))).toEqual(['a & bAB', '']);
  });

  it.each([
    ['a document type', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
    ['an entity of its own', '<a>&x;</a>'],
    ['an inherited name as an entity', '<a>&constructor;</a>'],
    ['a comment', '<a><!-- b --></a>'],
    ['CDATA', '<a><![CDATA[b]]></a>'],
    ['an instruction', '<a><?b c?></a>'],
    ['a second root', '<a/><b/>'],
    ['text behind the root', '<a/>b'],
    ['an end without a beginning', '<a></b>'],
    ['a beginning without an end', '<a><b></a>'],
    ['NUL', '<a>&#0;</a>'],
    ['half a character', '<a>&#xd800;</a>'],
    ['text between elements', '<a>b<c/></a>'],
    ['too much depth', '<a>'.repeat(9) + '</a>'.repeat(9)],
    ['too many elements', `<a>${'<b/>'.repeat(60_001)}</a>`],
    ['nothing', ''],
    ['an attribute that does not end', '<a b="><c d="e"></c></a>'],
  ])('refuses %s', (_what, document) => {
    expect(() => readXml(document)).toThrow(S3Error);
  });

  it('refuses an element that is there twice', () => {
    expect(() => textOf(readXml('<a><b>1</b><b>2</b></a>'), 'b')).toThrow(S3Error);
  });

  it('brings back any text that was written', () => {
    fc.assert(
      fc.property(fc.string({ unit: TEXT, maxLength: 30 }), (text) => {
        expect(textOf(readXml(writeXml('a', [['b', text]])), 'b')).toBe(text);
      }),
    );
  });

  it('ends with an answer or a refusal for anything', () => {
    const pieces = fc.constantFrom(
      '<',
      '>',
      '/',
      'a',
      '&',
      ';',
      '#',
      'x',
      '"',
      '=',
      ' ',
      '<a>',
      '</a>',
      '<?xml ',
      '?>',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        try {
          readXml(parts.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(S3Error);
        }
      }),
    );
  });
});
