import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Answer {
  /** 0 when the connection broke without an answer. */
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
  readonly tookMs: number;
}

const NO_ANSWER_WITHIN_MS = 40_000;

/** A customer with a key, who calls the service through the balancer, or one process of it. */
export class Caller {
  private constructor(
    private readonly url: string,
    readonly token: string,
    readonly orgId: string,
    readonly account: { readonly username: string; readonly password: string },
  ) {}

  static async signUp(url: string, username: string): Promise<Caller> {
    const account = { username, email: `${username}@example.org`, password: 'a-long-enough-secret' };
    const nobody = new Caller(url, '', '', account);
    const { session_token: session, organization } = await nobody.expect('POST', '/auth/sign-up', account);
    const { secret } = await new Caller(url, session as string, '', account).expect('POST', '/keys', { name: 'drill' });
    return new Caller(url, secret as string, organization.id as string, account);
  }

  /** The same customer, at another address. */
  at(url: string): Caller {
    return new Caller(url, this.token, this.orgId, this.account);
  }

  /** Without the key. */
  anonymous(): Caller {
    return new Caller(this.url, '', '', this.account);
  }

  async call(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Answer> {
    const fromMs = performance.now();
    try {
      const response = await fetch(`${this.url}/api/v1${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(NO_ANSWER_WITHIN_MS),
      });
      return {
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        text: await response.text(),
        tookMs: performance.now() - fromMs,
      };
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      return { status: 0, retryAfter: null, text: String(cause), tookMs: performance.now() - fromMs };
    }
  }

  /** Returns `data` of the answer. @throws {Error} when it is no success. */
  async expect(method: string, path: string, body?: object): Promise<any> {
    const { status, text: content } = await this.call(method, path, body);
    if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${content.slice(0, 500)}`);
    return (JSON.parse(content) as { data: unknown }).data;
  }
}

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status <= 299;

/** A refusal as the service promises it: nothing was done, and the caller knows when to come again. */
export const isTypedRefusal = ({ status, retryAfter }: Answer): boolean => status === 503 && Number(retryAfter) > 0;

export const describeAnswer = (what: string, { status, text: content }: Answer): string =>
  `${what}: ${status === 0 ? 'no answer' : status} ${content.slice(0, 300)}`;

/** A visitor's connections to the hosts of deploys, which stay open as those of browsers do. */
export class Visitor {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(private readonly port: number) {}

  get(host: string, path = '/'): Promise<Answer> {
    const fromMs = performance.now();
    return new Promise((resolve) => {
      const fail = (error: Error): void => {
        resolve({ status: 0, retryAfter: null, text: String(error), tookMs: performance.now() - fromMs });
      };
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: this.port,
          path,
          headers: { host },
          agent: this.agent,
          timeout: NO_ANSWER_WITHIN_MS,
        },
        (response) => {
          text(response).then((content) => {
            resolve({
              status: response.statusCode!,
              retryAfter: response.headers['retry-after'] ?? null,
              text: content,
              tookMs: performance.now() - fromMs,
            });
          }, fail);
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
      outgoing.on('error', fail);
      outgoing.end();
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
