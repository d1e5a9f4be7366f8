import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Request } from 'express';
import { PathHandlers } from '../../../platform/http/path-handlers.js';
import { stateOf } from '../../../platform/http/request-state.js';
import { ObjectsSettings } from '../objects.settings.js';
import { S3Face } from '../s3/s3-face.js';

const BASE = '/s3';

/**
 * Answers S3 clients below `/s3` of the API, for programs that cannot resolve the domain of object storage. It is
 * called before all routes: bodies stay as they come, and the signature is the only credential.
 */
@Injectable()
export class S3Path implements OnModuleInit {
  constructor(
    private readonly paths: PathHandlers,
    private readonly face: S3Face,
    private readonly settings: ObjectsSettings,
  ) {}

  onModuleInit(): void {
    this.paths.add(BASE, (request, response) => {
      this.face.answer(request, response, {
        target: request.url ?? BASE,
        base: BASE,
        label: undefined,
        endpoint: this.settings.apiEndpoint,
        requestId: stateOf(request as Request).requestId,
      });
    });
  }
}
