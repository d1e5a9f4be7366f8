import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request } from 'express';
import { stateOf } from '../../../platform/http/request-state.js';
import { ObjectsSettings } from '../objects.settings.js';
import { S3Face } from '../s3/s3-face.js';

const BASE = '/s3';

/**
 * Answers S3 clients below `/s3` of the API, for programs that cannot resolve the domain of object storage. It is
 * middleware before all routes: bodies stay as they come, and the signature is the only credential.
 */
@Injectable()
export class S3Path implements OnModuleInit {
  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly face: S3Face,
    private readonly settings: ObjectsSettings,
  ) {}

  onModuleInit(): void {
    this.adapter.httpAdapter.use(BASE, (request: IncomingMessage, response: ServerResponse) => {
      this.face.answer(request, response, {
        target: (request as Request).originalUrl,
        base: BASE,
        label: undefined,
        endpoint: this.settings.apiEndpoint,
        requestId: stateOf(request as Request).requestId,
      });
    });
  }
}
