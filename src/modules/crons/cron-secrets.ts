import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { keyFor } from '../../platform/secrets/sealed.js';

/** The name of the variable with which an app recognizes its crons. */
export const CRON_SECRET = 'CRON_SECRET';

/**
 * The secret with which an app recognizes the requests of its crons. It follows from `SECRETS_KEY` and the project, so
 * it is stored nowhere. A variable of the project with this name replaces it.
 */
@Injectable()
export class CronSecrets {
  private readonly key: Buffer | undefined;

  constructor({ secretsKeys: [newest] }: Config) {
    this.key = newest === undefined ? undefined : keyFor('cron-secret', newest.secret);
  }

  of(projectId: string): string {
    if (this.key === undefined) throw new Error('This process has no SECRETS_KEY and cannot derive secrets of crons.');
    return createHmac('sha256', this.key).update(projectId).digest('base64url');
  }
}
