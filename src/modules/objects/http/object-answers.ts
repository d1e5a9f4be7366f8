import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CallerHungUp } from '../../../platform/errors/caller-hung-up.js';
import { ObjectMetrics } from '../metrics/object.metrics.js';
import { ObjectChanged } from '../objects.errors.js';
import { ObjectsService } from '../objects/objects.service.js';
import { hasCallerLeft } from '../serving/caller-left.js';
import { savedAs } from '../serving/hostile-content.js';
import { bodyHeadersOf, headersOf, type HeaderPair, sizeOfBody } from '../serving/object-headers.js';
import { outcomeOf } from '../serving/read-conditions.js';
import type { FoundObject } from './object-requests.service.js';

/** A document of a tenant has no power on the host of the API: whatever it is, it is only saved. */
const ON_THE_API: readonly HeaderPair[] = [
  ['Content-Security-Policy', "sandbox; default-src 'none'; base-uri 'none'; frame-ancestors 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'private, no-store'],
];

/** Sends the bytes of objects as answers of the API. */
@Injectable()
export class ObjectAnswers {
  constructor(
    private readonly objects: ObjectsService,
    private readonly metrics: ObjectMetrics,
  ) {}

  /** @throws {ObjectChanged} `object_changed` @throws {RangeNotSatisfiable} `range_not_satisfiable` */
  async send(
    { request, response }: { request: Request; response: Response },
    { bucket, object }: FoundObject,
  ): Promise<void> {
    const outcome = outcomeOf(request.headers, object);
    if (outcome.kind === 'changed') throw new ObjectChanged();
    for (const [name, value] of [...headersOf(object, bucket), ...ON_THE_API]) response.setHeader(name, value);
    response.setHeader('Content-Disposition', savedAs(object.headers['content-disposition']));
    for (const [name, value] of Object.entries(object.metadata)) response.setHeader(`x-amz-meta-${name}`, value);
    if (outcome.kind === 'not_modified') {
      response.status(304).end();
      return;
    }
    const range = outcome.kind === 'part' ? outcome.range : undefined;
    response.status(range === undefined ? 200 : 206);
    for (const [name, value] of bodyHeadersOf(object, range)) response.setHeader(name, value);
    if (request.method === 'HEAD') response.end();
    else await this.sendBytes(response, { object, range });
  }

  private async sendBytes(
    response: Response,
    { object, range }: { object: FoundObject['object']; range: Parameters<ObjectsService['open']>[1] },
  ): Promise<void> {
    const bytes = await this.objects.open(object, range);
    this.metrics.moved('out', sizeOfBody(object, range));
    try {
      await pipeline(bytes, response);
    } catch (error) {
      throw hasCallerLeft(error, response) ? new CallerHungUp() : error;
    }
  }
}
