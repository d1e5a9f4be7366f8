import type { IncomingMessage } from 'node:http';
import { S3Error } from '../s3-error.js';
import type { QueryPair } from './canonical.js';

/** What a request says about its signature. */
export interface SignatureFields {
  readonly accessKeyId: string;
  /** `<day>/<region>/s3/aws4_request` */
  readonly scope: string;
  readonly day: string;
  readonly region: string;
  /** `20261123T190000Z` */
  readonly time: string;
  readonly at: Date;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** `x-amz-content-sha256`: how the body is signed. */
  readonly payload: string;
  /** For a signature in the query. */
  readonly expiresSeconds: number | undefined;
}

const MAX_EXPIRES_SECONDS = 604_800;
const SIGNATURE = /^[0-9a-f]{64}$/;
const TIME = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/;
const CREDENTIAL = /^([^/\s]{1,128})\/(\d{8})\/([a-z0-9-]{1,64})\/s3\/aws4_request$/;
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const MAX_SIGNED_HEADERS = 100;
const ALGORITHM = 'AWS4-HMAC-SHA256';

/** Returns undefined for a request without a signature. @throws {S3Error} for one that is malformed. */
export function signatureFieldsOf(
  { headers }: Pick<IncomingMessage, 'headers'>,
  query: readonly QueryPair[],
): SignatureFields | undefined {
  const signs = query.some(([name]) => name.toLowerCase() === 'x-amz-signature');
  if (headers.authorization !== undefined) {
    if (signs) throw new S3Error('InvalidArgument', 'Sign the request in a header or in the query, not in both.');
    return ofHeader(headers);
  }
  if (signs) return ofQuery(query);
  if (query.some(([name]) => name === 'AWSAccessKeyId' || name === 'Signature'))
    throw new S3Error('InvalidRequest', 'Only AWS Signature Version 4 is supported.');
  return undefined;
}

function ofHeader(headers: IncomingMessage['headers']): SignatureFields {
  const fault = (why: string): S3Error => new S3Error('AuthorizationHeaderMalformed', why);
  const text = headers.authorization ?? '';
  if (!text.startsWith(`${ALGORITHM} `))
    throw new S3Error('InvalidRequest', 'Only AWS Signature Version 4 is supported.');
  const fields = new Map<string, string>();
  for (const each of text.slice(ALGORITHM.length).split(',')) {
    const at = each.indexOf('=');
    const name = each.slice(0, at).trim();
    if (at === -1 || fields.has(name)) throw fault('The Authorization header is malformed.');
    fields.set(name, each.slice(at + 1).trim());
  }
  const date = headers['x-amz-date'];
  const payload = headers['x-amz-content-sha256'];
  if (typeof payload !== 'string') throw new S3Error('InvalidRequest', 'The header x-amz-content-sha256 is missing.');
  if (typeof date !== 'string') throw new S3Error('AccessDenied', 'The header x-amz-date is missing.');
  return fieldsOf(
    {
      credential: fields.get('Credential') ?? '',
      signedHeaders: fields.get('SignedHeaders') ?? '',
      signature: fields.get('Signature') ?? '',
      time: date,
    },
    { payload, expiresSeconds: undefined },
    fault,
  );
}

function ofQuery(query: readonly QueryPair[]): SignatureFields {
  const fault = (why: string): S3Error => new S3Error('AuthorizationQueryParametersError', why);
  const one = (name: string): string => {
    const values = query.filter(([each]) => each.toLowerCase() === name.toLowerCase());
    if (values.length > 1) throw fault(`${name} is given more than once.`);
    return values[0]?.[0] === name ? values[0][1] : '';
  };
  if (one('X-Amz-Algorithm') !== ALGORITHM) throw fault(`X-Amz-Algorithm must be ${ALGORITHM}.`);
  if (query.some(([name]) => name.toLowerCase() === 'x-amz-security-token')) throw new S3Error('ExpiredToken');
  const expires = one('X-Amz-Expires');
  const expiresSeconds = /^\d{1,6}$/.test(expires) ? Number(expires) : 0;
  if (expiresSeconds < 1 || expiresSeconds > MAX_EXPIRES_SECONDS)
    throw fault(`X-Amz-Expires must be 1 to ${MAX_EXPIRES_SECONDS} seconds.`);
  return fieldsOf(
    {
      credential: one('X-Amz-Credential'),
      signedHeaders: one('X-Amz-SignedHeaders'),
      signature: one('X-Amz-Signature'),
      time: one('X-Amz-Date'),
    },
    { payload: one('X-Amz-Content-Sha256') || 'UNSIGNED-PAYLOAD', expiresSeconds },
    fault,
  );
}

function fieldsOf(
  { credential, signedHeaders, signature, time }: Record<'credential' | 'signedHeaders' | 'signature' | 'time', string>,
  more: Pick<SignatureFields, 'payload' | 'expiresSeconds'>,
  fault: (why: string) => S3Error,
): SignatureFields {
  const [, accessKeyId, day, region] = CREDENTIAL.exec(credential) ?? [];
  if (accessKeyId === undefined || day === undefined || region === undefined)
    throw fault('The credential must be <access key>/<day>/<region>/s3/aws4_request.');
  if (!SIGNATURE.test(signature)) throw fault('The signature must have 64 hexadecimal digits.');
  const names = signedHeaders.split(';');
  if (names.length > MAX_SIGNED_HEADERS || !names.every((name) => NAME.test(name)) || !isSorted(names))
    throw fault('The names of the signed headers must be sorted, in lower case, with semicolons between.');
  if (!names.includes('host')) throw fault('The header host must be signed.');
  const at = timeOf(time);
  if (at === undefined || !time.startsWith(day)) throw fault('The date must be that of the credential.');
  const scope = `${day}/${region}/s3/aws4_request`;
  return { accessKeyId, scope, day, region, time, at, signedHeaders: names, signature, ...more };
}

const isSorted = (names: readonly string[]): boolean =>
  names.every((name, index) => index === 0 || names[index - 1]! < name);

function timeOf(text: string): Date | undefined {
  const iso = TIME.exec(text) === null ? '' : text.replace(TIME, '$1-$2-$3T$4:$5:$6Z');
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? undefined : at;
}
