import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { HttpPeer } from './http-peer.js';
import type { Answer, CallOptions, TestApp } from './test-app.js';

const KEYS_PATH = '/meta/public_keys/secret_scanning';
const PATH = '/api/v1/secret-scanning';

interface ScannerKey {
  readonly identifier: string;
  readonly privateKey: KeyObject;
  readonly pem: string;
}

interface Match {
  readonly token: string;
  readonly type?: string;
  readonly url?: string;
  readonly source?: string;
}

/** Signs as GitHub's secret scanning does, with keys of its own that it serves on this machine. */
export class FakeSecretScanner {
  readonly key = newKey();
  /** What is served now. */
  served: readonly ScannerKey[] = [this.key];
  /** Answers in place of the keys. */
  failure: { readonly status: number; readonly body: string } | undefined;
  private readonly peer = new HttpPeer();

  /** Starts it before the app, which learns its address from the settings. */
  static use(settings: NodeJS.ProcessEnv): FakeSecretScanner {
    const scanner = new FakeSecretScanner();
    beforeAll(async () => {
      await scanner.peer.listen();
      scanner.peer.handlers.set(KEYS_PATH, (response) => {
        response.writeHead(scanner.failure?.status ?? 200, { 'content-type': 'application/json' });
        response.end(scanner.failure?.body ?? JSON.stringify({ public_keys: scanner.served.map(shown) }));
      });
      settings['SECRET_SCANNING_KEYS_URL'] = scanner.peer.at(KEYS_PATH);
    });
    afterAll(() => {
      scanner.peer.close();
    });
    return scanner;
  }

  /** How often the keys were asked for. */
  get fetches(): number {
    return this.peer.seen.length;
  }

  /** Sends a signed message with what was found. */
  report(app: TestApp, matches: readonly Match[], options?: CallOptions): Promise<Answer> {
    const body = JSON.stringify(matches.map((match) => ({ type: 'service_token', ...match })));
    return this.send(app, body, this.headersOf(body), options);
  }

  headersOf(body: string, { identifier, privateKey }: ScannerKey = this.key): Record<string, string> {
    return {
      'github-public-key-identifier': identifier,
      'github-public-key-signature': sign('sha256', Buffer.from(body), privateKey).toString('base64'),
    };
  }

  send(app: TestApp, body: string, headers: Record<string, string>, options: CallOptions = {}): Promise<Answer> {
    return app.call('POST', PATH, { ...options, body, headers: { 'content-type': 'application/json', ...headers } });
  }
}

export function newKey(namedCurve = 'P-256'): ScannerKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  return { identifier: createHash('sha256').update(pem).digest('hex'), privateKey, pem };
}

const shown = ({ identifier, pem }: ScannerKey): object => ({ key_identifier: identifier, key: pem, is_current: true });
