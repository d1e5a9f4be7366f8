import { request as httpRequest } from 'node:http';
import { as, expectStatus, Make, type Person, send, uniqueName } from './make.js';
import type { Answer, CallOptions, TestApp } from './test-app.js';

export const STORAGE = '/api/v1/storage';
export const BUCKETS = `${STORAGE}/buckets`;
export const ACCESS_KEYS = `${STORAGE}/access-keys`;

/** What was answered on a host of object storage. */
export interface HostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
}

/** An owner with buckets. */
export class Storing {
  readonly make: Make;
  owner!: Person;
  key!: string;

  constructor(readonly app: TestApp) {
    this.make = new Make(app);
  }

  async begin(plan: 'free' | 'builder' | 'pro' = 'builder'): Promise<void> {
    this.owner = await this.make.person({ plan });
    this.key = await this.make.key(this.owner);
  }

  get orgId(): string {
    return this.owner.organization.id;
  }

  async bucket(body: object = {}, key = this.key): Promise<any> {
    return expectStatus(201, await this.app.post(BUCKETS, { name: uniqueName('bucket'), ...body }, as(key))).body.data;
  }

  async accessKey(body: object = {}, key = this.key): Promise<any> {
    const fields = { name: 'a key', access: 'write', ...body };
    return expectStatus(201, await this.app.post(ACCESS_KEYS, fields, as(key))).body.data;
  }

  put(bucketId: string, path: string, body: string, options: CallOptions = {}): Promise<Answer> {
    const headers = { 'content-type': 'text/plain', ...options.headers };
    return this.app.call('PUT', `${BUCKETS}/${bucketId}/objects/${path}`, {
      ...as(this.key),
      ...options,
      body,
      headers: { ...as(this.key).headers, ...headers },
    });
  }

  get(bucketId: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { headers } = as(this.key, options);
    return this.app.fetch(`${BUCKETS}/${bucketId}/objects/${path}`, { ...options, headers: headers ?? {} });
  }

  patch(bucketId: string, body: object, key = this.key): Promise<Answer> {
    return send(this.app, ['PATCH', `${BUCKETS}/${bucketId}`], body, as(key));
  }

  /** Asks a host of object storage or the API, as a browser would, and sends the path as it is. */
  ask(host: string, path: string, { method = 'GET', headers = {}, body }: AskOptions = {}): Promise<HostAnswer> {
    const port = host === new URL(this.app.config.publicUrl).host ? this.app.port : this.app.appsPort;
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        { host: '127.0.0.1', port, method, path, headers: { host, ...headers }, agent: false },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const bytes = Buffer.concat(chunks);
            resolve({
              status: response.statusCode!,
              headers: response.headers,
              body: bytes,
              text: bytes.toString(),
            });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Follows a signed link, whose port is that of the settings and not that of the test. */
  follow(url: string, options: AskOptions = {}): Promise<HostAnswer> {
    const { host } = new URL(url);
    return this.ask(host, url.slice(url.indexOf('/', 'https://'.length)), options);
  }
}

interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}
