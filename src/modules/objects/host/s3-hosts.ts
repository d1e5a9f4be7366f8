import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { hostNameOf } from '../../../platform/http/host-name.js';
import { type HostHandler, HostHandlers } from '../../../platform/http/host-handlers.js';
import { Ids } from '../../../platform/ids/ids.js';
import { REQUEST_ID } from '../../../platform/ids/platform.ids.js';
import { ObjectsSettings } from '../objects.settings.js';
import { StorageDomain } from '../serving/storage-domain.js';
import { UnsignedRequests } from '../serving/unsigned-requests.js';
import { S3Face } from '../s3/s3-face.js';

/** Answers browsers and S3 clients at the domain of object storage, and at the host of each bucket below it. */
@Injectable()
export class S3Hosts implements HostHandler, OnModuleInit {
  constructor(
    private readonly hosts: HostHandlers,
    private readonly face: S3Face,
    private readonly unsigned: UnsignedRequests,
    private readonly domain: StorageDomain,
    private readonly settings: ObjectsSettings,
    private readonly ids: Ids,
  ) {}

  onModuleInit(): void {
    this.hosts.add(this);
  }

  owns(host: string): boolean {
    return this.domain.owns(host);
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const label = this.domain.labelOf(hostNameOf(request.headers.host) ?? '');
    this.unsigned.answer(request, response, label, () => {
      this.face.answer(request, response, {
        target: request.url ?? '/',
        base: '',
        label,
        endpoint: this.settings.endpoint,
        requestId: this.ids.next(REQUEST_ID),
      });
    });
  }
}
