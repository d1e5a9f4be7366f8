import { Client } from 'pg';
import type { ClusterSocket } from './cluster-socket.js';

const LINGER_MS = 1_000;
/** The server may have just been thawed, and the machine may be busy. */
const ANSWER_WITHIN_MS = 30_000;

export interface QuestionOptions {
  readonly database?: string;
  /** The time for everything together, but a connection has at most 30 s of it. */
  readonly withinMs?: number;
}

/**
 * Calls `work` with a connection as the superuser. A tenant may have taken over the server, so the answers are limited
 * in size and time, and the caller must check their values.
 */
export async function questionServer<Answer>(
  socket: ClusterSocket,
  work: (client: Client) => Promise<Answer>,
  { database = 'postgres', withinMs = ANSWER_WITHIN_MS }: QuestionOptions = {},
): Promise<Answer> {
  const stream = socket.questioning();
  const client = new Client({
    host: '/',
    user: 'platform',
    database,
    stream: () => stream,
    connectionTimeoutMillis: Math.min(withinMs, ANSWER_WITHIN_MS),
  });
  // An error outside of a question has nobody else to go to.
  client.on('error', () => undefined);
  const ended = new Promise<never>((_resolve, reject) => {
    stream.once('error', reject);
    stream.once('close', () => {
      reject(new Error('The server of a database closed the connection.'));
    });
  });
  // It is awaited only while there is a question.
  ended.catch(() => undefined);
  const late = setTimeout(() => {
    stream.destroy(new Error('The server of a database did not answer in time.'));
  }, withinMs);
  try {
    return await Promise.race([client.connect().then(() => work(client)), ended]);
  } finally {
    clearTimeout(late);
    // The message that ends the session is sent, and nothing is waited for.
    client.end().catch(() => undefined);
    setTimeout(() => stream.destroy(), LINGER_MS).unref();
  }
}

/** Runs statements one after another. Their answers do not matter. */
export async function runAll(client: Client, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await client.query(statement);
}
