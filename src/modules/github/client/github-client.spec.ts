import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SystemClock } from '../../../platform/time/clock.js';
import type { GithubSettings } from '../github.settings.js';
import { GithubClient } from './github-client.js';

/** A server that leads the repositories of `old` to a place of choice, and notes what comes. */
class Place {
  readonly requests: string[] = [];
  target = '';
  private readonly server: Server = createServer((request, response) => {
    this.requests.push(`${request.method!} ${request.url!} ${request.headers.authorization!}`);
    if (request.url!.startsWith('/repos/old/')) response.writeHead(307, { location: this.target }).end();
    else response.end('{"login":"ada"}');
  });

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('redirects of GitHub', () => {
  const github = new Place();
  const other = new Place();
  const status = (): Promise<void> =>
    new GithubClient({ app: { apiUrl: github.url } } as unknown as GithubSettings, new SystemClock()).createStatus(
      'token',
      { fullName: 'old/name', sha: 'abc' },
      { state: 'success', context: 'a', description: 'b', target_url: 'c' },
    );

  beforeAll(() => Promise.all([github.start(), other.start()]));
  afterAll(() => {
    github.stop();
    other.stop();
  });
  beforeEach(() => {
    github.requests.length = 0;
  });

  it('are followed to a renamed repository with the same request', async () => {
    github.target = '/repositories/1/statuses/abc';
    await status();
    expect(github.requests).toEqual([
      'POST /repos/old/name/statuses/abc Bearer token',
      'POST /repositories/1/statuses/abc Bearer token',
    ]);
  });

  it('lead a token to no other host, and not in circles', async () => {
    github.target = `${other.url}/repositories/1`;
    await expect(status()).rejects.toMatchObject({ message: 'GitHub is not responding.' });
    expect(other.requests).toEqual([]);

    github.target = '/repos/old/name';
    await expect(status()).rejects.toMatchObject({ message: 'GitHub is not responding.' });
    expect(github.requests.length).toBeLessThan(10);
  });
});
