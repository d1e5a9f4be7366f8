import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isDryRun } from '../../../platform/http/dry-run.js';
import { UnsupportedMediaType } from '../../../platform/http/http.errors.js';
import { letTakeLong } from '../../../platform/http/long-request.js';
import { UnsignedBodies } from '../../../platform/http/unsigned-bodies.js';
import type { Call } from '../../auth/caller.js';
import { MAX_SESSION_FILE_BYTES } from '../sessions/host/session-process.js';
import { SessionFilesService } from '../sessions/session-files.service.js';

const CONTENT_TYPE = 'application/octet-stream';
const HINT = `Send the bytes as they are, with the header Content-Type: ${CONTENT_TYPE}.`;
/** All files that this process receives at a time, and those of one account. */
const TOTAL_BYTES = 32 * MAX_SESSION_FILE_BYTES;
const PLACES = 8;
const DEADLINE_MS = 60_000;

/** Receives files of sessions. */
@Injectable()
export class SessionFileBodies {
  private readonly bodies = new UnsignedBodies({
    limitBytes: MAX_SESSION_FILE_BYTES,
    totalBytes: TOTAL_BYTES,
    placesByAddress: PLACES,
    deadlineMs: DEADLINE_MS,
  });

  constructor(private readonly files: SessionFilesService) {}

  /** @throws as {@link SessionFilesService.write}, {UnsupportedMediaType} `unsupported_media_type` */
  async write(call: Call, file: { readonly id: string; readonly path: string }, request: Request): Promise<void> {
    requireBytes(request);
    if (isDryRun(request)) {
      await this.files.rehearse(call, file.id);
      return;
    }
    letTakeLong(request.res!);
    await this.files.write(call, file.id, file.path, () => this.bodies.read(request, call.principal.user.id));
  }
}

function requireBytes({ headers }: Request): void {
  if (headers['content-type'] !== CONTENT_TYPE)
    throw new UnsupportedMediaType(`The content type must be ${CONTENT_TYPE}.`, HINT);
  if (headers['content-encoding'] !== undefined)
    throw new UnsupportedMediaType('The content must not have a Content-Encoding.', HINT);
}
