/**
 * A caller of S3 that costs little, so that it keeps the server busy and not itself: the SDK takes about a millisecond
 * of processor time for each call. Every request has a signature of its own.
 */
import { createHash, createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';

const REGION = 'us-east-1';

export class SignedCaller {
  #agent;
  #keys = new Map();

  constructor({ endpoint, id, secret, callers }) {
    this.url = new URL(endpoint);
    this.id = id;
    this.secret = secret;
    this.#agent = new Agent({ keepAlive: true, maxSockets: callers });
  }

  get(bucket, key) {
    return this.#send('GET', bucket, key, { hash: EMPTY });
  }

  /** @param hash the SHA-256 of the body, or `UNSIGNED-PAYLOAD`. */
  put(bucket, key, body, hash = hashOf(body)) {
    return this.#send('PUT', bucket, key, { body, hash });
  }

  #send(method, bucket, key, { body, hash }) {
    const path = `${this.url.pathname === '/' ? '' : this.url.pathname}/${bucket}/${key}`;
    const headers = this.#signed(method, path, hash);
    if (body !== undefined) headers['content-length'] = body.length;
    const { hostname: host, port } = this.url;
    return new Promise((resolve, reject) => {
      request({ host, port, path, method, headers, agent: this.#agent }, (response) => {
        let bytes = 0;
        response.on('data', (chunk) => {
          bytes += chunk.length;
        });
        response.once('end', () => {
          if (response.statusCode === 200) resolve(bytes);
          else reject(new Error(`${method} ${path} answered ${response.statusCode}.`));
        });
      })
        .once('error', reject)
        .end(body);
    });
  }

  #signed(method, path, hash) {
    const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
    const day = time.slice(0, 8);
    const scope = `${day}/${REGION}/s3/aws4_request`;
    const names = 'host;x-amz-content-sha256;x-amz-date';
    const { host } = this.url;
    const canonical = [
      method,
      `${path}\n\nhost:${host}`,
      `x-amz-content-sha256:${hash}`,
      `x-amz-date:${time}\n\n${names}`,
      hash,
    ].join('\n');
    const signature = hmac(this.#keyOf(day), `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hashOf(canonical)}`);
    return {
      host,
      'x-amz-content-sha256': hash,
      'x-amz-date': time,
      authorization:
        `AWS4-HMAC-SHA256 Credential=${this.id}/${scope}, SignedHeaders=${names}, ` +
        `Signature=${signature.toString('hex')}`,
    };
  }

  #keyOf(day) {
    let key = this.#keys.get(day);
    if (key === undefined) {
      key = [day, REGION, 's3', 'aws4_request'].reduce(hmac, `AWS4${this.secret}`);
      this.#keys.set(day, key);
    }
    return key;
  }
}

export const hashOf = (content) => createHash('sha256').update(content).digest('hex');
const EMPTY = hashOf('');

function hmac(key, text) {
  return createHmac('sha256', key).update(text).digest();
}
