import { Controller, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { ServiceUnavailable } from '../../../platform/errors/platform.errors.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { Public } from '../../../platform/http/public.js';
import { rawBodyOf } from '../../../platform/http/raw-body.js';
import { GithubDeliveries } from '../github-deliveries.service.js';

/** GitHub sends nothing larger. */
const LIMIT_BYTES = 25 * 1_048_576;
/** Anybody may send bodies until it is known who signed them: this many are held at once. */
const PLACES = 8;

/** What GitHub calls. It shows no key: what it sends is signed. Beside the API, so that its calls are on no caller's budget. */
@ApiExcludeController()
@Controller('webhooks/github')
@Public()
export class GithubWebhookController {
  private taken = 0;

  constructor(private readonly deliveries: GithubDeliveries) {}

  @Post()
  @HttpCode(HttpStatus.ACCEPTED)
  async take(@Req() request: Request): Promise<Envelope<{ outcome: string }>> {
    const named = { id: headerOf(request, 'x-github-delivery'), event: headerOf(request, 'x-github-event'), signature: headerOf(request, 'x-hub-signature-256') };
    this.deliveries.requireHeaders(named);
    if (this.taken >= PLACES) throw new ServiceUnavailable(new Error(`${PLACES} deliveries of GitHub are being read.`));
    this.taken += 1;
    try {
      return new Envelope({ outcome: await this.deliveries.take({ ...named, body: await rawBodyOf(request, LIMIT_BYTES) }) });
    } finally {
      this.taken -= 1;
    }
  }
}

function headerOf({ headers }: Request, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
