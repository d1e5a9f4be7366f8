import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { S3Error } from '../s3-error.js';
import { splitTarget } from './canonical.js';
import { checkSignature, requireHeaders, requireTime, type SignedRequest } from './signature-check.js';
import { signatureFieldsOf } from './signature-fields.js';

/** The examples of AWS' documentation of Signature Version 4. */
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const NOW = new Date('2013-05-24T00:00:00Z');
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const CREDENTIAL = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request';

interface Example {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

const HEADER: Example = {
  method: 'GET',
  target: '/test.txt',
  headers: {
    host: 'examplebucket.s3.amazonaws.com',
    range: 'bytes=0-9',
    'x-amz-content-sha256': EMPTY,
    'x-amz-date': '20130524T000000Z',
    authorization:
      `AWS4-HMAC-SHA256 Credential=${CREDENTIAL},SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,` +
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
};

const LIST: Example = {
  method: 'GET',
  target: '/?max-keys=2&prefix=J',
  headers: {
    host: 'examplebucket.s3.amazonaws.com',
    'x-amz-content-sha256': EMPTY,
    'x-amz-date': '20130524T000000Z',
    authorization:
      `AWS4-HMAC-SHA256 Credential=${CREDENTIAL}, SignedHeaders=host;x-amz-content-sha256;x-amz-date, ` +
      'Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
};

const LINK: Example = {
  method: 'GET',
  target:
    '/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2F' +
    'aws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
    '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  headers: { host: 'examplebucket.s3.amazonaws.com' },
};

/** All checks of a request but its body. */
function admit({ method, target, headers }: Example, now = NOW): void {
  const rawHeaders = Object.entries(headers).flat();
  const request: SignedRequest['request'] = { method, headers, rawHeaders };
  const split = splitTarget(target);
  const fields = signatureFieldsOf(request, split.query);
  if (fields?.accessKeyId !== 'AKIAIOSFODNN7EXAMPLE') throw new S3Error('InvalidAccessKeyId');
  requireTime(fields, now);
  requireHeaders(fields, request);
  checkSignature(fields, { request, ...split }, SECRET);
}

const EXAMPLES = [HEADER, LIST, LINK];

describe('AWS Signature Version 4', () => {
  it.each([
    ['a header', HEADER],
    ['a query', LIST],
    ['a link', LINK],
  ])('accepts the example of AWS for %s', (_what, example) => {
    expect(() => {
      admit(example);
    }).not.toThrow();
  });

  it('refuses what is too old, too new or expired', () => {
    const at = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);
    for (const seconds of [-901, 901])
      expect(() => {
        admit(HEADER, at(seconds));
      }).toThrow('differs');
    for (const seconds of [-900, 900]) admit(HEADER, at(seconds));
    admit(LINK, at(86_400));
    expect(() => {
      admit(LINK, at(86_401));
    }).toThrow('expired');
    expect(() => {
      admit(LINK, at(-901));
    }).toThrow('differs');
  });

  it.each(['x-amz-copy-source', 'x-amz-meta-a', 'x-amz-acl'])('refuses %s unless it is signed', (name) => {
    for (const example of EXAMPLES)
      expect(() => {
        admit({ ...example, headers: { ...example.headers, [name]: 'x' } });
      }).toThrow('must be signed');
  });

  it('refuses a signed header that is there twice', () => {
    const { method, headers } = HEADER;
    const rawHeaders = [...Object.entries(headers).flat(), 'X-Amz-Date', '20130524T000000Z'];
    const request = { method, headers: headers as IncomingHttpHeaders, rawHeaders };
    const fields = signatureFieldsOf(request, [])!;
    expect(() => {
      requireHeaders(fields, request);
    }).toThrow('more than once');
  });

  it('refuses any other method, path, query, signed header and signature', () => {
    const changes = fc.oneof(
      fc.constantFrom('PUT', 'POST', 'DELETE', 'HEAD').map((method) => ({ method })),
      fc
        .record({ at: fc.nat(), letter: fc.constantFrom(...'abXY019/.-_%2F&=?+~ü'.match(/./gu)!) })
        .map((put) => ({ put })),
      fc
        .record({ name: fc.nat(), at: fc.nat(), letter: fc.constantFrom(...'abc019,;=/'.match(/./gu)!) })
        .map((header) => ({ header })),
      fc.constantFrom('a=b', 'versionId=x', 'X-Amz-Expires=1', 'prefix=J', 'max-keys').map((query) => ({ query })),
    );
    fc.assert(
      fc.property(fc.constantFrom(...EXAMPLES), changes, (example, change) => {
        const changed = changedBy(example, change);
        fc.pre(meaningOf(changed) !== meaningOf(example));
        expect(() => {
          admit(changed);
        }).toThrow();
      }),
      { numRuns: 2_000 },
    );
  });
});

interface Change {
  readonly method?: string;
  readonly put?: { readonly at: number; readonly letter: string };
  readonly header?: { readonly name: number; readonly at: number; readonly letter: string };
  readonly query?: string;
}

function changedBy({ method, target, headers }: Example, change: Change): Example {
  const replaced = (text: string, at: number, letter: string): string =>
    text.slice(0, at % text.length) + letter + text.slice((at % text.length) + 1);
  const names = Object.keys(headers);
  const name = names[(change.header?.name ?? 0) % names.length]!;
  return {
    method: change.method ?? method,
    target:
      change.put !== undefined
        ? replaced(target, change.put.at, change.put.letter)
        : change.query === undefined
          ? target
          : `${target}${target.includes('?') ? '&' : '?'}${change.query}`,
    headers:
      change.header === undefined
        ? headers
        : { ...headers, [name]: replaced(headers[name]!, change.header.at, change.header.letter) },
  };
}

/** Two spellings of one request mean the same. */
function meaningOf({ method, target, headers }: Example): string {
  try {
    const { path, query } = splitTarget(target);
    const segments = path.split('/').map((segment) => decodeURIComponent(segment));
    const values = Object.entries(headers).map(([name, value]) => [name, value.trim().replace(/ +/g, ' ')]);
    return JSON.stringify([method, segments, [...query].sort(), values]);
  } catch {
    return `${method} ${target}`;
  }
}
