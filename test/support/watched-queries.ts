import type { ClientBase } from 'pg';
import type { DataSource } from 'typeorm';
import { StatementBatch } from '../../src/platform/database/statement-batch.js';

type Send = () => Promise<unknown>;

/**
 * Calls `around` for all that a process sends to its database, with its text: of statements that are sent together, in
 * one round trip, with the texts of all of them, each in a line of its own.
 */
export function watchQueries(
  dataSource: DataSource,
  around: (text: string, send: Send) => Promise<unknown>,
): DataSource {
  const make = dataSource.createQueryRunner.bind(dataSource);
  dataSource.createQueryRunner = (...parameters) => {
    const runner = make(...parameters);
    const connect = runner.connect.bind(runner) as () => Promise<ClientBase>;
    const watched = async (): Promise<ClientBase> => {
      const client = await connect();
      const send = client.query.bind(client) as (...parts: unknown[]) => unknown;
      const query = (first: unknown, ...rest: unknown[]): unknown => {
        if (first instanceof StatementBatch)
          return around(first.texts.map(inOneLine).join('\n'), () => first.sendOn(client));
        return around(inOneLine(String(first)), () => Promise.resolve(send(first, ...rest)));
      };
      return Object.assign(Object.create(client) as ClientBase, { query });
    };
    return Object.assign(runner, { connect: watched });
  };
  return dataSource;
}

const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
