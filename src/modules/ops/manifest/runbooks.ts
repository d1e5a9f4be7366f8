import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { PROJECT_ROOT } from '../../../platform/version.js';
import { parseRunbook, type Runbook } from './runbook.js';

const PLACE = join(PROJECT_ROOT, 'docs', 'operations', 'runbooks');

/** The runbooks in `docs/operations/runbooks`, which are read once. */
@Injectable()
export class Runbooks {
  readonly all: readonly Runbook[] = readdirSync(PLACE)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => parseRunbook(file, readFileSync(join(PLACE, file), 'utf8')));

  /** Returns the tag of the runbook for alerts of this name. */
  tagOf(alertname: string | undefined): string | undefined {
    return alertname === undefined
      ? undefined
      : this.all.find(({ appliesTo }) => appliesTo.alertnames.includes(alertname))?.tag;
  }
}
