import { createHash, createHmac } from 'node:crypto';

/** A request that a link allows. */
export interface LinkedRequest {
  readonly method: string;
  /** The origin and path-style or host-style address, such as `https://storage.example.com`. */
  readonly endpoint: string;
  /** The segments of the path: those of the bucket and the key, not encoded. */
  readonly path: string;
  /** Further query parameters, not encoded. */
  readonly query?: Readonly<Record<string, string>>;
  /** Headers that the request must have exactly, besides `host`. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Who signs, when, and for how long. */
export interface LinkSignature {
  readonly accessKeyId: string;
  readonly secret: string;
  readonly region: string;
  readonly at: Date;
  readonly expiresSeconds: number;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** Returns the URL of a request that carries its signature in the query (AWS Signature Version 4). */
export function presign(
  { method, endpoint, path, query = {}, headers = {} }: LinkedRequest,
  by: LinkSignature,
): string {
  const { protocol, host, pathname } = new URL(endpoint);
  const base = pathname === '/' ? '' : pathname;
  const time = by.at.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${by.region}/s3/aws4_request`;
  const signed: Record<string, string> = { ...headers, host };
  const names = Object.keys(signed).sort();
  const parameters: Record<string, string> = {
    ...query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${by.accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(by.expiresSeconds),
    'X-Amz-SignedHeaders': names.join(';'),
  };
  const canonicalPath = `${base}/${path.split('/').map(encoded).join('/')}`;
  // Names are sorted by themselves: `w` comes before `w0`, although `=` comes after `0`.
  const canonicalQuery = Object.entries(parameters)
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const canonical = [
    method,
    canonicalPath,
    canonicalQuery,
    ...names.map((name) => `${name}:${signed[name]!.trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const toSign = [ALGORITHM, time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const signature = hmac(keyOf(by.secret, scope), toSign).toString('hex');
  return `${protocol}//${host}${canonicalPath}?${canonicalQuery}&X-Amz-Signature=${signature}`;
}

const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const keyOf = (secret: string, scope: string): Buffer =>
  scope.split('/').reduce<Buffer | string>((key, part) => hmac(key, part), `AWS4${secret}`) as Buffer;

/** The encoding that the signature prescribes: everything but letters, digits and `-._~`. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
