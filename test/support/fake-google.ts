import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';

const CLIENT_ID = '4711.apps.fake-google.test';
const CLIENT_SECRET = 'a-client-secret-of-the-fake-google';

export interface GooglePerson {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

/** What a test changes of the ID tokens, to see it refused. */
export interface Forgery {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Partial<JWTHeaderParameters>;
  /** In place of the key of the issuer. */
  readonly key?: KeyObject | Uint8Array;
  /** In place of a signed token. */
  readonly token?: (claims: JWTPayload) => string;
}

interface IssuedCode {
  readonly person: GooglePerson;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
}

/** An issuer of OpenID Connect that speaks as Google does, and forges tokens where a test asks for it. */
export class FakeGoogle {
  readonly clientId = CLIENT_ID;
  readonly clientSecret = CLIENT_SECRET;
  /** The person who is signed in with the browser that comes to the page of authorization. */
  visitor: GooglePerson | undefined;
  forgery: Forgery | undefined;
  /** In place of what the metadata say. */
  metadata: Readonly<Record<string, unknown>> = {};
  /** The answer to every request, regardless of it. */
  failure: number | undefined;
  readonly requests: string[] = [];
  /** The issuer that answers name; undefined names none. */
  namedIssuer: string | undefined;
  private key = keyNamed('first');
  private readonly codes = new Map<string, IssuedCode>();
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });

  /** Starts before the app, which gets the address through `settings`. */
  static use(settings: NodeJS.ProcessEnv): FakeGoogle {
    return FakeGoogle.started(({ url }) => {
      Object.assign(settings, {
        SIGN_IN_GOOGLE_CLIENT_ID: CLIENT_ID,
        SIGN_IN_GOOGLE_CLIENT_SECRET: CLIENT_SECRET,
        SIGN_IN_GOOGLE_ISSUER: url,
      });
    });
  }

  /** {@link use} for a provider of SSO connections, which the operator of the app allows. */
  static useForSso(settings: NodeJS.ProcessEnv): FakeGoogle {
    return FakeGoogle.started(({ url }) => {
      const others = settings['SSO_ALLOWED_HOSTS'];
      settings['SSO_ALLOWED_HOSTS'] = [...(others === undefined ? [] : [others]), new URL(url).host].join(',');
    });
  }

  private static started(announce: (google: FakeGoogle) => void): FakeGoogle {
    const google = new FakeGoogle();
    beforeAll(async () => {
      google.server.listen(0, '127.0.0.1');
      await once(google.server, 'listening');
      google.namedIssuer = google.url;
      announce(google);
    });
    afterAll(() => {
      google.server.closeAllConnections();
      google.server.close();
    });
    return google;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get publicKey(): KeyObject {
    return this.key.publicKey;
  }

  /** Signs with another key from now on, and publishes only that one. */
  rotate(): void {
    this.key = keyNamed(randomUUID());
  }

  /** Ends everything that a test has changed. */
  behave(): void {
    this.forgery = undefined;
    this.failure = undefined;
    this.metadata = {};
    this.namedIssuer = this.url;
  }

  /** Lets a person allow the request at this address. Returns the address that the browser is sent back to. */
  authorize(location: string, person: GooglePerson): string {
    const url = new URL(location);
    const of = (name: string): string => url.searchParams.get(name) ?? '';
    if (`${url.origin}${url.pathname}` !== `${this.url}/authorize` || of('client_id') !== CLIENT_ID)
      throw new Error(`Google shows an error at ${location}.`);
    if (of('response_type') !== 'code' || !of('scope').split(' ').includes('openid') || of('nonce') === '')
      throw new Error(`Google does not understand ${location}.`);
    const code = randomUUID();
    this.codes.set(code, {
      person,
      redirectUri: of('redirect_uri'),
      challenge: of('code_challenge'),
      nonce: of('nonce'),
    });
    const query = new URLSearchParams({ code, state: of('state') });
    if (this.namedIssuer !== undefined) query.set('iss', this.namedIssuer);
    return `${of('redirect_uri')}?${query.toString()}`;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, this.url);
    this.requests.push(url.pathname);
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (url.pathname === '/authorize' && this.visitor !== undefined) {
      response.writeHead(302, { location: this.authorize(url.href, this.visitor) }).end();
      return;
    }
    const { status, body } =
      this.failure === undefined
        ? await this.reply(url.pathname, new URLSearchParams(Buffer.concat(chunks).toString()))
        : { status: this.failure, body: {} };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  private async reply(path: string, form: URLSearchParams): Promise<{ status: number; body: object }> {
    switch (path) {
      case '/.well-known/openid-configuration':
        return {
          status: 200,
          body: {
            issuer: this.url,
            authorization_endpoint: `${this.url}/authorize`,
            token_endpoint: `${this.url}/token`,
            jwks_uri: `${this.url}/keys`,
            ...this.metadata,
          },
        };
      case '/keys': {
        const jwk = this.key.publicKey.export({ format: 'jwk' });
        return { status: 200, body: { keys: [{ ...jwk, kid: this.key.kid, alg: 'RS256', use: 'sig' }] } };
      }
      case '/token':
        return this.exchange(form);
      default:
        return { status: 404, body: {} };
    }
  }

  private async exchange(form: URLSearchParams): Promise<{ status: number; body: object }> {
    const of = (name: string): string => form.get(name) ?? '';
    const known = this.codes.get(of('code'));
    this.codes.delete(of('code'));
    const isRight =
      known !== undefined &&
      of('grant_type') === 'authorization_code' &&
      of('client_id') === CLIENT_ID &&
      of('client_secret') === CLIENT_SECRET &&
      of('redirect_uri') === known.redirectUri &&
      createHash('sha256').update(of('code_verifier')).digest('base64url') === known.challenge;
    if (!isRight) return { status: 400, body: { error: 'invalid_grant' } };
    return {
      status: 200,
      body: { access_token: randomUUID(), token_type: 'Bearer', id_token: await this.token(known) },
    };
  }

  private async token({ person, nonce }: IssuedCode): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const { claims = {}, header = {}, key, token } = this.forgery ?? {};
    const all: JWTPayload = {
      iss: this.url,
      aud: CLIENT_ID,
      azp: CLIENT_ID,
      iat: now,
      exp: now + 3_600,
      nonce,
      ...person,
      ...claims,
    };
    if (token !== undefined) return token(all);
    return new SignJWT(all)
      .setProtectedHeader({ alg: 'RS256', kid: this.key.kid, ...header })
      .sign(key ?? this.key.privateKey, { crit: { unknown: true } });
  }
}

interface NamedKey {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const keyNamed = (kid: string): NamedKey => ({ kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) });
