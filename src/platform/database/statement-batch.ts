import { type ClientBase, type Connection, Result, type Submittable, types } from 'pg';
import { QueryFailedError } from 'typeorm';
import { nameOfPrepared } from './prepared.js';

export type StatementValue = string | number | bigint | boolean | Date | Buffer | null;
export type Row = Record<string, unknown>;

export interface Statement {
  readonly text: string;
  readonly values: readonly StatementValue[];
}

/** The parts of the driver that its types leave out. */
interface Wire extends Connection {
  /** Which statements the server has prepared, and which it was asked to, by their names. */
  readonly parsedStatements: Record<string, string | undefined>;
  readonly submittedNamedStatements: Record<string, string | undefined>;
}
interface Rows extends Result {
  addFields(fields: readonly unknown[]): void;
  parseRow(values: readonly unknown[]): Row;
}

/**
 * Statements that are sent together, so that all of them take one round trip. The server runs them in order, each sees
 * what the ones before it have done, and none runs after one that has failed: there is one `Sync`, at the end.
 */
export class StatementBatch implements Submittable {
  /** The rows of each statement. @throws {QueryFailedError} of the first one that fails. */
  readonly done: Promise<Row[][]>;
  private resolve!: (rows: Row[][]) => void;
  private reject!: (error: Error) => void;
  private readonly results: readonly Rows[];
  /** How many have ended. */
  private ended = 0;

  constructor(private readonly statements: readonly Statement[]) {
    this.results = statements.map(() => new Result('', types) as Rows);
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  sendOn(client: ClientBase): Promise<Row[][]> {
    client.query(this);
    return this.done;
  }

  /** The client notes by name and text what the server has prepared. */
  get name(): string | undefined {
    return nameOfPrepared(this.text);
  }

  get text(): string {
    return (this.statements[this.ended] ?? this.statements.at(-1)!).text;
  }

  get texts(): string[] {
    return this.statements.map(({ text }) => text);
  }

  submit(connection: Connection): void {
    const { stream } = connection;
    stream.cork();
    for (const statement of this.statements) send(statement, connection as Wire);
    connection.sync();
    stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly unknown[] }): void {
    this.results[this.ended]!.addFields(fields);
  }

  handleDataRow({ fields }: { readonly fields: readonly unknown[] }): void {
    const result = this.results[this.ended]!;
    result.rows.push(result.parseRow(fields));
  }

  handleCommandComplete(): void {
    this.ended += 1;
  }

  handleReadyForQuery(): void {
    this.resolve(this.results.map(({ rows }) => rows as Row[]));
  }

  handleError(error: Error, connection: Connection): void {
    const failed = this.statements[this.ended] ?? this.statements.at(-1)!;
    // What comes after the failed statement was not prepared either.
    for (const { text } of this.statements.slice(this.ended)) {
      const name = nameOfPrepared(text);
      if (name !== undefined) (connection as Wire).submittedNamedStatements[name] = undefined;
    }
    this.reject(new QueryFailedError(failed.text, [...failed.values], error));
  }
}

function send({ text, values }: Statement, connection: Wire): void {
  const name = nameOfPrepared(text) ?? '';
  const { parsedStatements, submittedNamedStatements } = connection;
  if (name === '' || (parsedStatements[name] === undefined && submittedNamedStatements[name] === undefined)) {
    connection.parse({ text, name, types: [] }, true);
    if (name !== '') submittedNamedStatements[name] = text;
  }
  connection.bind({ statement: name, values: values.map(onWire) }, true);
  connection.describe({ type: 'P', name: '' }, true);
  connection.execute(null, true);
}

const onWire = (value: StatementValue): Buffer | string | null => {
  if (value === null || Buffer.isBuffer(value)) return value;
  return value instanceof Date ? value.toISOString() : String(value);
};
