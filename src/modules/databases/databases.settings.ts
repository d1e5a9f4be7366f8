import { join } from 'node:path';
import {
  BLOBS_URL_RULE,
  type BlobsAddress,
  type BlobsPlace,
  parseBlobsUrl,
  placeOf,
} from '../../platform/blobs/blobs-url.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { IntegerSetting, ParsedSetting, ServerSetting, TextSetting } from '../../platform/config/setting.js';
import { DATABASE_SCHEMES, faultOfDatabaseUrl, withTlsOfLibpq } from '../../platform/database/database-url.js';
import { ADDRESS_RULE, type GivenAddress, parseAddress } from './domain/database-address.js';

const DEFAULT_PORT = 5433;

/** Project databases: where they listen, and where their backups are. */
export class DatabasesSettings extends ModuleSettings {
  @IntegerSetting({
    name: 'DATABASES_PORT',
    summary: 'Port on which project databases answer clients of PostgreSQL, in the role `databases`. `0` picks one.',
    unset: '`5433`, or a free one with `PORT=0`',
    example: '5433',
    see: 'databases.md',
    min: 0,
    max: 65_535,
  })
  private readonly givenPort?: number;

  @ParsedSetting({
    name: 'DATABASES_HOST',
    summary: 'Host name and port of project databases in the addresses that callers get.',
    unset: 'the host of `PUBLIC_URL` and `DATABASES_PORT`',
    see: 'databases.md',
    example: 'db.example.com:5432',
    parse: parseAddress,
    rule: ADDRESS_RULE,
  })
  readonly publicAddress?: GivenAddress;

  @ParsedSetting({
    name: 'DATABASES_ADDRESS',
    summary:
      'Host name and port at which the other processes of the service reach the project databases of this machine. ' +
      'Each machine with the role `databases` has its own.',
    unset: '`127.0.0.1` and the port on which it listens, which is right for one machine',
    see: 'databases.md#several-machines',
    example: '10.0.0.5:5433',
    parse: parseAddress,
    rule: ADDRESS_RULE,
  })
  readonly hostAddress?: GivenAddress;

  @TextSetting({
    name: 'DATABASES_TLS_CERT_FILE',
    summary: 'File with the certificate of `DATABASES_HOST`, in PEM. It is read again when it changes.',
    unset: 'the service makes a certificate, which clients cannot verify',
    see: 'databases.md#tls',
    example: '/etc/ssl/db.example.com.pem',
  })
  readonly certificateFile?: string;

  @TextSetting({
    name: 'DATABASES_TLS_KEY_FILE',
    summary: 'File with the private key of `DATABASES_TLS_CERT_FILE`, in PEM.',
    see: 'databases.md#tls',
    example: '/etc/ssl/db.example.com.key',
  })
  readonly keyFile?: string;

  @TextSetting({
    name: 'DATABASES_POSTGRES',
    summary: 'Directory of another installation of PostgreSQL 18 for project databases, for its extensions.',
    unset: 'the one that comes with the service',
    see: 'databases.md#extensions',
    example: '/usr/lib/postgresql/18',
  })
  readonly postgresDirectory?: string;

  @TextSetting({
    name: 'DATABASES_PG_DUMP',
    summary: 'Path of `pg_dump` 18 or newer, which exports with `format=custom` need.',
    unset: 'found in the directories of the packages and in `PATH`',
    see: 'databases.md#exports',
    example: '/usr/lib/postgresql/18/bin/pg_dump',
  })
  readonly dumpProgram?: string;

  @ServerSetting({
    name: 'TENANT_DATABASES_URL',
    summary:
      'A PostgreSQL server, as a superuser, on which project databases are made instead of servers of their own. ' +
      'They have no branches and cannot be restored.',
    see: 'databases.md#a-server-of-yours',
    example: 'postgres://admin:password@tenants.example.com:5432/postgres',
    schemes: DATABASE_SCHEMES,
    faultOf: faultOfDatabaseUrl,
    read: withTlsOfLibpq,
  })
  readonly tenantServerUrl: string | undefined = undefined;

  @ParsedSetting({
    name: 'DATABASE_BACKUPS_URL',
    summary:
      'Storage for backups of project databases: `file:` is a directory in `DATA_DIR`, `file:///path` another ' +
      'directory, and `s3://bucket/prefix?endpoint=https://…&region=…` a bucket.',
    unset: '`file:`',
    example: 'file:',
    see: 'databases.md#backups',
    parse: parseBlobsUrl,
    rule: BLOBS_URL_RULE,
  })
  private readonly backupsAddress: BlobsAddress = { kind: 'file', directory: undefined };

  @IntegerSetting({
    name: 'DATABASE_FREEZE_AFTER_MS',
    summary: 'Time without traffic after which a database is frozen. Its connections stay, and traffic continues it.',
    unit: 'ms',
    min: 100,
    max: 86_400_000,
  })
  readonly freezeAfterMs: number = 60_000;

  @IntegerSetting({
    name: 'DATABASE_SLEEP_AFTER_MS',
    summary: 'Time without connections after which a database is stopped. The next connection wakes it.',
    unit: 'ms',
    min: 100,
    max: 86_400_000,
  })
  readonly sleepAfterMs: number = 300_000;

  @IntegerSetting({
    name: 'DATABASES_MAX_AWAKE',
    summary:
      'How many databases can be awake on this host at a time. Beyond it the one that was idle for longest is stopped.',
    unset: 'by the memory of the machine',
    min: 1,
    max: 100_000,
  })
  readonly maxAwake?: number;

  get port(): number {
    return this.givenPort ?? (this.config.port === 0 ? 0 : DEFAULT_PORT);
  }

  /** Where exports that run have their sockets. Each process has directories of its own in it. */
  get exportsDirectory(): string {
    return join(this.config.isolatedHome, 'database-exports');
  }

  get backupsPlace(): BlobsPlace {
    return placeOf(this.backupsAddress, join(this.config.dataDir, 'database-backups'));
  }
}
