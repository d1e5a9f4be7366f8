import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';

export const UPLOAD_ERRORS = defineErrors({
  upload_not_found: { type: 'not_found_error', status: 404, title: 'Upload not found.' },
  upload_incomplete: { type: 'conflict_error', status: 409, title: 'Content of the upload is missing.' },
  upload_content_invalid: {
    type: 'validation_error',
    status: 400,
    title: 'The content is not what the upload announced.',
  },
  upload_too_large: { type: 'api_error', status: 413, title: 'The upload is too large.' },
  upload_storage_full: {
    type: 'conflict_error',
    status: 409,
    title: 'The storage limit of the plan leaves no room for the upload.',
  },
});

/** The answer for an upload of another project or organization is the answer for one that does not exist. */
export class UploadNotFound extends DomainError {
  constructor() {
    super(UPLOAD_ERRORS.upload_not_found, 'Upload not found.', {
      hint: 'Create one with POST /api/v1/projects/{project_id}/uploads. Uploads are kept for 7 days.',
    });
  }
}

const SHOWN_HASHES = 20;

export class UploadIncomplete extends DomainError {
  constructor(missing: readonly string[]) {
    super(UPLOAD_ERRORS.upload_incomplete, `The content of ${missing.length} files of the upload is missing.`, {
      hint: 'Send it with PUT /api/v1/projects/{project_id}/uploads/{upload_id}/blobs, then deploy.',
      details: { missing_count: missing.length, missing: missing.slice(0, SHOWN_HASHES) },
    });
  }
}

export class UploadContentInvalid extends DomainError {
  constructor(message: string, sha256?: string) {
    super(UPLOAD_ERRORS.upload_content_invalid, message, {
      hint: 'Nothing of the request was stored. Read the files again and create a new upload.',
      ...(sha256 === undefined ? {} : { details: { sha256 } }),
    });
  }
}

export class UploadTooLarge extends DomainError {
  constructor(bytes: number, limitBytes: number) {
    super(UPLOAD_ERRORS.upload_too_large, `Upload size limit exceeded: ${bytes} of ${limitBytes} bytes.`, {
      hint: 'Leave files out with .serviceignore.',
      details: { bytes, limit_bytes: limitBytes },
    });
  }
}

export class UploadStorageFull extends DomainError {
  constructor(use: { planName: string; limitBytes: number; usedBytes: number; bytes: number }, upgradeUrl: string) {
    const { planName, limitBytes, usedBytes, bytes } = use;
    super(
      UPLOAD_ERRORS.upload_storage_full,
      `Storage limit reached: ${planName} allows ${limitBytes} bytes, ${usedBytes} are in use, ` +
        `and the upload adds ${bytes}.`,
      {
        hint: `Delete deploys or projects, or upgrade: ${upgradeUrl}`,
        details: { limit_bytes: limitBytes, used_bytes: usedBytes, bytes },
      },
    );
  }
}
