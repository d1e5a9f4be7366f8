import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { CORS_METHODS, MAX_CORS_AGE_SECONDS } from '../cors/cors-rules.js';
import { allowOrigin, answerPreflight, isPreflight } from '../cors/preflights.js';
import { ObjectMetrics } from '../metrics/object.metrics.js';
import type { CorsRule } from '../persistence/bucket-rows.js';
import { PublicCache } from './public-cache.js';
import { PublicFiles } from './public-files.js';
import { refusePublic } from './public-pages.js';

/** A signature in the query: `X-Amz-Signature` or, of an earlier version, `AWSAccessKeyId`. */
const SIGNED_QUERY = /[?&](?:x-amz-signature|awsaccesskeyid|signature)=/i;

/** Tells what browsers ask for without a signature from the requests of programs for S3. */
@Injectable()
export class UnsignedRequests {
  private readonly dashboard: CorsRule;

  constructor(
    private readonly cache: PublicCache,
    private readonly files: PublicFiles,
    private readonly metrics: ObjectMetrics,
    { dashboardUrl, publicUrl }: Config,
  ) {
    // The pages of the service upload and show objects of every bucket, with links that the API signs.
    this.dashboard = {
      origins: [...new Set([dashboardUrl, publicUrl].map((url) => new URL(url).origin))],
      methods: CORS_METHODS,
      headers: ['*'],
      expose_headers: ['etag'],
      max_age_seconds: MAX_CORS_AGE_SECONDS,
    };
  }

  /**
   * Answers what needs no signature, and hands everything else to `onSigned`. It never throws.
   *
   * @param label the bucket that the host names.
   */
  answer(request: IncomingMessage, response: ServerResponse, label: string | undefined, onSigned: () => void): void {
    if (request.headers.origin !== undefined) {
      this.answerOrigin(request, response, label, onSigned).catch(() => {
        this.metrics.answered('public', 'none', 'error');
        refusePublic(response, 503, { 'Retry-After': '1' });
      });
    } else if (label !== undefined && isUnsignedRead(request)) this.files.answer(request, response, label);
    else onSigned();
  }

  private async answerOrigin(
    request: IncomingMessage,
    response: ServerResponse,
    label: string | undefined,
    onSigned: () => void,
  ): Promise<void> {
    const name = label ?? bucketOf(request.url ?? '');
    const bucket = name === '' ? null : await this.cache.bucketOf(name);
    const rules = [this.dashboard, ...(bucket?.cors ?? [])];
    if (isPreflight(request)) {
      answerPreflight(request, response, rules);
      return;
    }
    allowOrigin(request, response, rules);
    if (label !== undefined && isUnsignedRead(request)) this.files.answer(request, response, label);
    else onSigned();
  }
}

const isUnsignedRead = ({ method, url = '', headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && headers.authorization === undefined && !SIGNED_QUERY.test(url);

/** Returns the bucket that a path names, or an empty text. Labels have nothing that is encoded. */
const bucketOf = (target: string): string => /^\/([a-z0-9-]{1,63})(?:[/?]|$)/.exec(target)?.[1] ?? '';
