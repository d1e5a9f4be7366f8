import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { ServiceProcess } from './service-process.js';

const LOOPS = 4;
const PAUSE_MS = 15;
const RETRY_MS = 50;

interface Write {
  readonly name: string;
  readonly idempotencyKey: string;
}

/** The error response of a write. `none` means that the connection broke without a response. */
export interface Refused {
  readonly status: number | 'none';
  readonly code: string | undefined;
  readonly retryAfter: string | null;
}

/**
 * A load of creates over HTTP. It records which ones were acknowledged, and can check that they all exist.
 */
export class AcknowledgedWrites {
  /** The acknowledged writes by name. */
  readonly acknowledged = new Map<string, string>();
  readonly refused: Refused[] = [];
  private readonly loops: Promise<void>[] = [];
  private stopping = false;
  private count = 0;

  private constructor(
    private readonly service: ServiceProcess,
    private readonly dataDir: string,
    private readonly token: string,
    private readonly run: string,
  ) {}

  /** Creates an account with a plan without limits. */
  static async prepare(service: ServiceProcess, dataDir: string): Promise<AcknowledgedWrites> {
    const run = `w${Date.now().toString(36)}`;
    const account = { username: run, email: `${run}@example.org`, password: 'a-long-enough-secret' };
    const response = await fetch(`${service.url}/api/v1/auth/sign-up`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    });
    const { data } = (await response.json()) as { data: { session_token: string; organization: { id: string } } };
    // The plan changes before the first call, so no cache holds another one.
    await withDatabase(dataDir, (client) =>
      client.query("UPDATE organizations SET plan = 'enterprise' WHERE id = $1", [data.organization.id]),
    );
    return new AcknowledgedWrites(service, dataDir, data.session_token, run);
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }

  /** Each loop makes one write after another, and repeats each until it is acknowledged, as a client does. */
  start(): void {
    for (let loop = 0; loop < LOOPS; loop++) this.loops.push(this.loop());
  }

  /** Resolves when every started write is acknowledged. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.loops);
  }

  /** One attempt at one write. */
  async attempt({ name, idempotencyKey }: Write): Promise<string | undefined> {
    try {
      const response = await fetch(`${this.service.url}/api/v1/keys`, {
        method: 'POST',
        headers: { ...this.headers, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify({ name }),
      });
      const body = (await response.json()) as { data?: { id: string }; error?: { code: string } };
      if (response.ok) return body.data!.id;
      this.refused.push({
        status: response.status,
        code: body.error?.code,
        retryAfter: response.headers.get('retry-after'),
      });
    } catch {
      this.refused.push({ status: 'none', code: undefined, retryAfter: null });
    }
    return undefined;
  }

  /** Returns acknowledged writes that are missing, and writes that happened more than once. */
  async missingAndDoubled(): Promise<{ missing: string[]; doubled: string[] }> {
    const rows = await withDatabase(
      this.dataDir,
      async (client) =>
        (
          await client.query<{ id: string; name: string }>('SELECT id, name FROM api_keys WHERE name LIKE $1', [
            `${this.run}-%`,
          ])
        ).rows,
    );
    const ids = new Set(rows.map(({ id }) => id));
    const names = rows.map(({ name }) => name);
    return {
      missing: [...this.acknowledged.values()].filter((id) => !ids.has(id)),
      doubled: names.filter((name, index) => names.indexOf(name) !== index),
    };
  }

  private async loop(): Promise<void> {
    while (!this.stopping) {
      const name = `${this.run}-${++this.count}`;
      let id: string | undefined;
      while ((id = await this.attempt({ name, idempotencyKey: name })) === undefined) await sleep(RETRY_MS);
      this.acknowledged.set(name, id);
      await sleep(PAUSE_MS);
    }
  }
}

/** Returns the embedded database of a service. */
async function withDatabase<T>(dataDir: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ host: join(dataDir, 'postgres/run'), user: 'app', database: 'postgres', port: 5432 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
