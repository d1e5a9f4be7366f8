import { join, resolve } from 'node:path';
import {
  BLOBS_URL_RULE,
  type BlobsAddress,
  type BlobsPlace,
  parseBlobsUrl,
  placeOf,
} from '../../platform/blobs/blobs-url.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { IntegerSetting, ParsedSetting, TextSetting } from '../../platform/config/setting.js';
import { PROJECT_ROOT } from '../../platform/version.js';

/** Events that are younger than this are never archived, so that nobody has to look for them in the archive. */
export const MIN_EVENTS_MONTHS = 13;

const DIRECTORY = { kind: 'file', directory: undefined } as const;

export class MeteringSettings extends ModuleSettings {
  @TextSetting({
    name: 'PRICES_FILE',
    summary: 'File with the prices of usage, in the format of `deploy/prices.yml`.',
    unset: '`deploy/prices.yml` is used',
    example: 'prices.yml',
  })
  private readonly givenPricesFile?: string;

  @IntegerSetting({
    name: 'USAGE_EVENTS_MONTHS',
    summary:
      'Months before the current one whose single events of usage stay in the database. Older ones are written to ' +
      '`USAGE_ARCHIVE_URL`, and new events of those months are refused. Sums and invoices stay.',
    unset: 'all events stay in the database',
    example: '24',
    see: 'operations/partitions.md#usage-events',
    min: MIN_EVENTS_MONTHS,
    max: 1_200,
  })
  readonly eventsMonths?: number;

  @ParsedSetting({
    name: 'USAGE_ARCHIVE_URL',
    summary: 'Storage for old events of usage, of all workers, as `AUDIT_ARCHIVE_URL`.',
    example: 's3://usage-archive/service?region=eu-central-1',
    see: 'operations/partitions.md#usage-events',
    parse: parseBlobsUrl,
    rule: BLOBS_URL_RULE,
  })
  private readonly archiveAddress?: BlobsAddress;

  get pricesFile(): string {
    return this.givenPricesFile === undefined
      ? join(PROJECT_ROOT, 'deploy', 'prices.yml')
      : resolve(this.givenPricesFile);
  }

  /** Where the archive is, or was while there was one. */
  get archivePlace(): BlobsPlace {
    return placeOf(this.archiveAddress ?? DIRECTORY, join(this.config.dataDir, 'usage-archive'));
  }

  /** Without a default, as for the archive of the audit log. */
  override faults(): readonly string[] {
    return this.eventsMonths !== undefined && this.archiveAddress === undefined
      ? ['USAGE_EVENTS_MONTHS needs USAGE_ARCHIVE_URL, the storage that older events are kept in']
      : [];
  }
}
