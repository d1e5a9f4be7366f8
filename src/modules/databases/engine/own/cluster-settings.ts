import type { ClusterLimits, Restriction } from '../database-engine.js';

/** Paths inside of the isolation of a cluster. */
export const CLUSTER = '/cluster';
export const DATA = `${CLUSTER}/data`;
export const ARCHIVE = `${CLUSTER}/archive`;
export const SOCKETS = '/run/postgres';
export const SETTINGS = '/etc/postgres';
export const SOCKET = '.s.PGSQL.5432';

const KIBIBYTE = 1_024;
const MEBIBYTE = 1_048_576;
const LEAST_TEMPORARY_BYTES = 256 * MEBIBYTE;
const LEAST_BUFFER_BYTES = 16 * MEBIBYTE;
/** The tables of locks cost memory from the start, so many connections share what few have. */
const LOCKS = 2_560;
const PREDICATE_LOCKS = 1_024;
const MOST_LOCKS_OF_EACH = 64;
/** PostgreSQL does not start with less. */
const LEAST_LOCKS_OF_EACH = 10;
/** The service's own connections, beyond those of the plan. */
const CONNECTIONS_OF_SERVICE = 8;

/** Connections of the database's clients and of the service together. */
export const allConnections = ({ maxConnections }: ClusterLimits): number => maxConnections + CONNECTIONS_OF_SERVICE;

export interface SettingsInput {
  readonly limits: ClusterLimits;
  /** The size of the data when it was last measured, if it was. */
  readonly dataBytes?: number;
  readonly restriction: Restriction;
  readonly countsStatements: boolean;
}

/** Returns `postgresql.conf`. The service writes it on every start, and the cluster can only read it. */
export function serverSettings({ limits, dataBytes, restriction, countsStatements }: SettingsInput): string {
  const { memoryBytes, diskBytes } = limits;
  const settings: Readonly<Record<string, string | number>> = {
    listen_addresses: '',
    port: 5432,
    unix_socket_directories: SOCKETS,
    unix_socket_permissions: '0700',
    hba_file: `${SETTINGS}/pg_hba.conf`,
    ident_file: `${SETTINGS}/pg_ident.conf`,
    // Shared memory of the other kinds is refused, because no limit counts it.
    shared_memory_type: 'sysv',
    dynamic_shared_memory_type: 'sysv',
    huge_pages: 'off',
    io_method: 'sync',
    // Reads that are under way at once. There is none with this method, and room for each costs memory.
    io_max_concurrency: 4,
    jit: 'off',
    max_connections: allConnections(limits),
    superuser_reserved_connections: CONNECTIONS_OF_SERVICE,
    shared_buffers: mebibytes(bufferBytes(memoryBytes / 8, dataBytes), 0),
    wal_buffers: '256kB',
    max_locks_per_transaction: perConnection(LOCKS, limits),
    max_pred_locks_per_transaction: perConnection(PREDICATE_LOCKS, limits),
    work_mem: mebibytes(memoryBytes / 64, 1),
    maintenance_work_mem: mebibytes(memoryBytes / 16, 8),
    effective_cache_size: mebibytes(memoryBytes / 2, 32),
    // It is for each session. Tenants cannot raise it, unlike the memory of a query.
    temp_file_limit: `${Math.floor(Math.max(LEAST_TEMPORARY_BYTES, diskBytes / 10) / KIBIBYTE)}kB`,
    max_worker_processes: 4,
    max_parallel_workers: 2,
    max_parallel_workers_per_gather: 1,
    max_parallel_maintenance_workers: 1,
    autovacuum_worker_slots: 2,
    autovacuum_max_workers: 2,
    max_logical_replication_workers: 0,
    max_wal_senders: 0,
    max_replication_slots: 0,
    wal_level: 'replica',
    wal_compression: 'on',
    // The archive holds further names of the same files, so they must not be written to again.
    wal_recycle: 'off',
    min_wal_size: '4MB',
    max_wal_size: '64MB',
    archive_mode: 'on',
    archive_command: `test "%p" -ef "${ARCHIVE}/%f" || ln -f "%p" "${ARCHIVE}/%f"`,
    archive_timeout: 60,
    recovery_init_sync_method: 'syncfs',
    allow_alter_system: 'off',
    default_transaction_read_only: restriction === 'none' ? 'off' : 'on',
    shared_preload_libraries: countsStatements ? 'pg_stat_statements' : '',
    ...(countsStatements ? { 'pg_stat_statements.max': 500 } : {}),
    // The log goes to the operator. Statements and their values are the tenant's.
    log_destination: 'stderr',
    logging_collector: 'off',
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    log_autovacuum_min_duration: -1,
    log_line_prefix: '',
    lc_messages: 'C',
    log_timezone: 'UTC',
    timezone: 'UTC',
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = '${String(value).replaceAll("'", "''")}'\n`)
    .join('');
}

/**
 * Returns `pg_hba.conf`: who may connect to what. There are no passwords, because only the service reaches the socket,
 * and a reader could read them. The tenant connects to the tenant's database, and the service to its own.
 */
export function accessRules(restriction: Restriction): string {
  return [
    'local postgres platform trust',
    ...(restriction === 'reader_only' ? [] : ['local app owner trust']),
    'local app reader trust',
    '',
  ].join('\n');
}

/**
 * The tables that describe buffers take memory whether the buffers are used or not, so there are no more than the data
 * needs: the next power of two of its size. The system keeps the files of one that grows until its next start.
 */
function bufferBytes(most: number, dataBytes = most): number {
  const needed = LEAST_BUFFER_BYTES * 2 ** Math.max(0, Math.ceil(Math.log2(dataBytes / LEAST_BUFFER_BYTES)));
  return Math.max(LEAST_BUFFER_BYTES, Math.min(most, needed));
}

const perConnection = (locks: number, limits: ClusterLimits): number =>
  Math.min(MOST_LOCKS_OF_EACH, Math.max(LEAST_LOCKS_OF_EACH, Math.ceil(locks / allConnections(limits))));

const mebibytes = (bytes: number, least: number): string => `${Math.max(least, Math.floor(bytes / MEBIBYTE))}MB`;
