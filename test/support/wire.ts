import { Client } from 'pg';
import { as, expectStatus } from './make.js';
import { DATABASES, Databases } from './databases.js';
import type { Answer, TestApp } from './test-app.js';

export interface OpenedDatabase {
  readonly database: any;
  readonly url: string;
  readonly credential: any;
}

/** Databases that a test connects to as clients do. */
export class Wire extends Databases {
  /** @param port where the databases are answered, if not by this app. */
  constructor(
    app: TestApp,
    private readonly port = (): number => app.databasesPort,
  ) {
    super(app);
  }

  /** Creates a database with a credential, and waits until it is ready. */
  async database(access: 'owner' | 'reader' = 'owner'): Promise<OpenedDatabase> {
    const database = await this.ready();
    return { database, ...(await this.credential(database.id as string, access)) };
  }

  async credential(id: string, access = 'owner'): Promise<{ url: string; credential: any }> {
    const { data } = expectStatus(201, await this.issue(id, { access })).body;
    return { url: data.url, credential: data };
  }

  issue(id: string, body: object, key = this.key): Promise<Answer> {
    return this.app.post(`${DATABASES}/${id}/credentials`, body, as(key));
  }

  /** A connected client, which a test ends. The URL names the port of the settings; the test's is another. */
  async client(url: string, change: (url: URL) => void = () => undefined): Promise<Client> {
    const client = new Client(this.configOf(url, change));
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Returns the code with which a connection is refused. */
  async refusal(url: string, change?: (url: URL) => void): Promise<string> {
    try {
      const client = await this.client(url, change);
      await client.end();
      return 'none';
    } catch (error) {
      return (error as { code?: string }).code ?? (error as Error).message;
    }
  }

  async query(id: string, body: object, key = this.key): Promise<Answer> {
    return this.app.post(`${DATABASES}/${id}/query`, { access: 'read', ...body }, as(key));
  }

  addressOf(url: string, change: (url: URL) => void = () => undefined): URL {
    const changed = new URL(url);
    changed.hostname = '127.0.0.1';
    changed.port = String(this.port());
    change(changed);
    return changed;
  }

  private configOf(text: string, change: (url: URL) => void): object {
    const url = this.addressOf(text, change);
    const isPlain = url.searchParams.get('sslmode') === 'disable';
    return {
      host: url.hostname,
      port: Number(url.port),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: url.pathname.slice(1),
      ssl: isPlain ? false : { rejectUnauthorized: false },
    };
  }
}
