import { DataSource } from 'typeorm';
import { CreateOutbox1795219200000 } from '../../migrations/1795219200000-create-outbox.js';
import { OutboxMessage } from '../platform/outbox/outbox-message.entity.js';

/** Longer than any statement of ours may take; a query that hangs must not hold its connection for ever. */
const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 2_000;

interface DataSourceSettings {
  readonly url: string;
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  /** Told of connections that broke while nobody used them. */
  readonly onPoolError?: (error: Error) => void;
}

/** Every table and migration of the service, in one list. */
export function createDataSource(settings: DataSourceSettings): DataSource {
  const { url, poolSize = 10, statementTimeoutMs = STATEMENT_TIMEOUT_MS, onPoolError = () => undefined } = settings;
  return new DataSource({
    type: 'postgres',
    url,
    poolSize,
    entities: [OutboxMessage],
    migrations: [CreateOutbox1795219200000],
    migrationsTableName: 'migrations',
    synchronize: false,
    installExtensions: false,
    uuidExtension: 'pgcrypto',
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    poolErrorHandler: onPoolError,
    applicationName: 'service-platform',
    extra: {
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
      keepAlive: true,
    },
  });
}
