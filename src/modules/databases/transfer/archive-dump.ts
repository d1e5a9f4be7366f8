import type { Duplex } from 'node:stream';
import { ServiceUnavailable } from '../../../platform/errors/platform.errors.js';
import { DatabaseUnavailable, ExportFormatUnavailable, QueryFailed } from '../databases.errors.js';
import { ARCHIVE, DUMP_PARAMETER } from '../dumps/dump-request.js';
import { failureOf } from '../sql/query-session.js';
import { startupMessageOf } from '../wire/protocol/startup-packet.js';
import type { Dump } from './dump.js';
import { TransferSession } from './transfer-session.js';

/** Reads what `pg_dump` writes on the host of the database, in the format of `pg_restore`. */
export class ArchiveDump implements Dump {
  private readonly session: TransferSession;

  constructor(stream: Duplex) {
    this.session = new TransferSession(stream);
  }

  /**
   * @throws {ExportFormatUnavailable} `export_format_unavailable`
   * @throws {QueryFailed} `query_failed`
   * @throws {DatabaseUnavailable} `database_unavailable`
   * @throws {ServiceUnavailable} `service_unavailable`
   */
  async begin(): Promise<void> {
    const request: [string, string][] = [
      ['user', 'service'],
      [DUMP_PARAMETER, ARCHIVE],
    ];
    this.session.send(startupMessageOf(request));
    const { type, body } = await this.session.next();
    if (type === 'E') throw refusalOf(failureOf(body));
    if (type !== 'H') throw new DatabaseUnavailable('The host of the database runs an earlier release of the service.');
  }

  async *pieces(): AsyncGenerator<Buffer> {
    try {
      yield* this.session.copied();
    } catch (error) {
      throw error instanceof QueryFailed ? refusalOf(error) : error;
    }
  }

  destroy(): void {
    this.session.destroy();
  }
}

/** The host answers with the codes of PostgreSQL. */
function refusalOf(failed: QueryFailed): Error {
  const { sqlState, message, hint } = failed.fault;
  if (sqlState === '0A000') return new ExportFormatUnavailable(message, hint);
  if (sqlState === '53300') return new ServiceUnavailable(failed);
  return sqlState.startsWith('57P') || sqlState === '28000'
    ? new DatabaseUnavailable(message, { cause: failed })
    : failed;
}
