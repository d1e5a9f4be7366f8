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
  private readonly keys: readonly Buffer[];

  constructor({ secretsKeys }: Config) {
    this.keys = secretsKeys.map(({ secret }) => keyFor('cron-secret', secret));
  }

  of(projectId: string): string {
    const [newest] = this.keys;
    if (newest === undefined) throw new Error('This process has no SECRETS_KEY and cannot derive secrets of crons.');
    return secretOf(newest, projectId);
  }

  /** The newest first. An app that has run since a change of `SECRETS_KEY` has the secret of an older one. */
  everyOf(projectId: string): string[] {
    return this.keys.map((key) => secretOf(key, projectId));
  }
}

const secretOf = (key: Buffer, projectId: string): string =>
  createHmac('sha256', key).update(projectId).digest('base64url');
