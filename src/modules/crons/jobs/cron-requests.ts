import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { ACCESS_HEADER, ProtectionsService } from '../../hosting/protections.service.js';

const LINK_SECONDS = 60;

/** Builds the headers with which an app recognizes a request of a cron. */
@Injectable()
export class CronRequests {
  constructor(
    private readonly protections: ProtectionsService,
    private readonly clock: Clock,
  ) {}

  /** The signature covers the time, the cron and the path, so that it proves nothing about any other request. */
  async headersOf(
    { cronId, projectId, path }: { readonly cronId: string; readonly projectId: string; readonly path: string },
    { label, secret }: { readonly label: string; readonly secret: string | undefined },
  ): Promise<Record<string, string>> {
    const headers: Record<string, string> = { 'user-agent': 'service-cron/1.0', 'x-service-cron': cronId };
    // A protected app is opened as for a member. Without protection the header would reach the app.
    if ((await this.protections.of(projectId)).production !== 'none') {
      const times = { linkSeconds: LINK_SECONDS, sessionSeconds: LINK_SECONDS };
      headers[ACCESS_HEADER] = (await this.protections.linkTo({ label, projectId }, times)).token;
    }
    // A header cannot carry every value that a variable of the project can have.
    if (secret === undefined || !/^[\x21-\x7e]+$/.test(secret)) return headers;
    const seconds = Math.floor(this.clock.now().getTime() / 1_000);
    const signature = createHmac('sha256', secret).update(`${seconds}.${cronId}.${path}`).digest('hex');
    return { ...headers, authorization: `Bearer ${secret}`, 'x-service-signature': `t=${seconds},v1=${signature}` };
  }
}
