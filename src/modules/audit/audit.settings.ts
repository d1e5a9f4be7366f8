import { join } from 'node:path';
import {
  BLOBS_URL_RULE,
  type BlobsAddress,
  type BlobsPlace,
  parseBlobsUrl,
  placeOf,
} from '../../platform/blobs/blobs-url.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { IntegerSetting, ParsedSetting } from '../../platform/config/setting.js';

const DIRECTORY = { kind: 'file', directory: undefined } as const;

/** How long the audit log stays in the database, and where its older months are kept. */
export class AuditSettings extends ModuleSettings {
  @IntegerSetting({
    name: 'AUDIT_LOG_MONTHS',
    summary:
      'Months before the current one that the audit log can be read in. Older ones are written to ' +
      '`AUDIT_ARCHIVE_URL` and removed from the database.',
    unset: 'all months stay in the database',
    example: '24',
    see: 'operations/partitions.md#audit-log',
    min: 3,
    max: 1_200,
  })
  readonly months?: number;

  @ParsedSetting({
    name: 'AUDIT_ARCHIVE_URL',
    summary:
      'Storage for old months of the audit log, of all workers: `file:` is a directory in `DATA_DIR`, `file:///path` ' +
      'another directory, and `s3://bucket/prefix?endpoint=https://…&region=…` a bucket.',
    example: 's3://audit-archive/service?region=eu-central-1',
    see: 'operations/partitions.md#audit-log',
    parse: parseBlobsUrl,
    rule: BLOBS_URL_RULE,
  })
  private readonly archiveAddress?: BlobsAddress;

  /** Where the archive is, or was while there was one. */
  get archivePlace(): BlobsPlace {
    return placeOf(this.archiveAddress ?? DIRECTORY, join(this.config.dataDir, 'audit-archive'));
  }

  /** Without a default: a worker that loses its disk must not lose the archive because nobody chose its place. */
  override faults(): readonly string[] {
    return this.months !== undefined && this.archiveAddress === undefined
      ? ['AUDIT_LOG_MONTHS needs AUDIT_ARCHIVE_URL, the storage that older months are kept in']
      : [];
  }
}
