import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import type { Plan } from '../plans/plan.js';
import { PLAN_ERRORS } from '../plans/plans.errors.js';

export const OBJECT_ERRORS = defineErrors({
  bucket_not_found: { type: 'not_found_error', status: 404, title: 'Bucket not found.' },
  object_not_found: { type: 'not_found_error', status: 404, title: 'Object not found.' },
  object_upload_not_found: { type: 'not_found_error', status: 404, title: 'Upload in parts not found.' },
  bucket_not_empty: { type: 'conflict_error', status: 409, title: 'The bucket contains objects.' },
  object_changed: { type: 'conflict_error', status: 412, title: 'The object is not as the request requires.' },
  length_required: { type: 'validation_error', status: 411, title: 'The size of the body was not announced.' },
  object_too_large: { type: 'api_error', status: 413, title: 'The object is larger than the plan allows.' },
  storage_full: {
    type: 'api_error',
    status: 413,
    title: 'The storage of the organization is full.',
    dashboard: '/~/billing',
  },
  range_not_satisfiable: { type: 'api_error', status: 416, title: 'The range is outside of the object.' },
  checksum_mismatch: { type: 'validation_error', status: 400, title: 'The body does not match its checksum.' },
  incomplete_body: { type: 'validation_error', status: 400, title: 'The body is not as long as announced.' },
  invalid_key: { type: 'validation_error', status: 400, title: 'The key of the object is invalid.' },
  invalid_part: { type: 'validation_error', status: 400, title: 'A part of the upload is missing or has changed.' },
});

export class BucketNotFound extends DomainError {
  constructor() {
    super(OBJECT_ERRORS.bucket_not_found, 'Bucket not found.', {
      hint: 'List the buckets of the organization: GET /api/v1/storage/buckets.',
    });
  }
}

export class ObjectNotFound extends DomainError {
  constructor() {
    super(OBJECT_ERRORS.object_not_found, 'Object not found.', { hint: 'List the objects of the bucket.' });
  }
}

export class ObjectUploadNotFound extends DomainError {
  constructor() {
    super(OBJECT_ERRORS.object_upload_not_found, 'Upload not found. It may have been completed, aborted or expired.', {
      hint: 'Begin a new upload.',
    });
  }
}

export class BucketNotEmpty extends DomainError {
  constructor() {
    super(OBJECT_ERRORS.bucket_not_empty, 'The bucket contains objects or unfinished uploads.', {
      hint: 'Delete them first.',
    });
  }
}

export class BucketNameTaken extends DomainError {
  constructor(name: string) {
    super(GENERIC_ERRORS.already_exists, `The organization already has a bucket named ${name}.`, {
      hint: 'Choose another name.',
    });
  }
}

export class TooManyBuckets extends DomainError {
  constructor({ id, name, storage }: Plan, upgradeUrl: string) {
    super(PLAN_ERRORS.plan_limit_reached, `Bucket limit reached: ${name} allows ${storage.buckets}.`, {
      hint: `Delete a bucket or upgrade: ${upgradeUrl}`,
      details: { limit: storage.buckets, plan: id },
    });
  }
}

/** A condition of the request, such as `If-None-Match: *`, does not hold. */
export class ObjectChanged extends DomainError {
  constructor() {
    super(OBJECT_ERRORS.object_changed, 'The object is not as the conditions of the request require.', {
      hint: 'Read the object again, and send its ETag.',
    });
  }
}

export class LengthRequired extends DomainError {
  constructor() {
    super(OBJECT_ERRORS.length_required, 'The request announces no size of its body.', {
      hint: 'Send Content-Length.',
    });
  }
}

export class ObjectTooLarge extends DomainError {
  constructor(limitBytes: number, upgradeUrl: string) {
    super(OBJECT_ERRORS.object_too_large, `An object may have at most ${limitBytes} bytes.`, {
      hint: `Split the object or upgrade: ${upgradeUrl}`,
      details: { limit_bytes: limitBytes },
    });
  }
}

export class StorageFull extends DomainError {
  constructor({ name, storage }: Plan, upgradeUrl: string) {
    super(OBJECT_ERRORS.storage_full, `Storage limit reached: ${name} includes ${storage.gigabytes} GB.`, {
      hint: `Delete objects or upgrade: ${upgradeUrl}`,
      upgradeUrl,
      details: { limit_bytes: storage.gigabytes * 1e9 },
    });
  }
}

export class RangeNotSatisfiable extends DomainError {
  constructor(size: number) {
    super(OBJECT_ERRORS.range_not_satisfiable, `The object has ${size} bytes, and the range is outside of them.`, {
      hint: 'Request bytes that the object has.',
      details: { size_bytes: size },
      headers: { 'Content-Range': `bytes */${size}` },
    });
  }
}

export class ChecksumMismatch extends DomainError {
  /** @param what the header or algorithm that does not match. */
  constructor(readonly what: string) {
    super(OBJECT_ERRORS.checksum_mismatch, `The body does not match ${what}.`, { hint: 'Send the object again.' });
  }
}

/** The body is shorter or longer than announced. */
export class IncompleteBody extends DomainError {
  constructor() {
    super(OBJECT_ERRORS.incomplete_body, 'The body is not as long as announced.', { hint: 'Send the object again.' });
  }
}

export class InvalidKey extends DomainError {
  constructor(reason: string) {
    super(OBJECT_ERRORS.invalid_key, `The key is invalid: ${reason}.`, {
      hint: 'Use up to 1,024 bytes of UTF-8 without the character NUL.',
    });
  }
}

/** A part that completes an upload is missing, has another ETag, or is out of order. */
export class InvalidPart extends DomainError {
  constructor(
    readonly fault: 'missing' | 'order' | 'small',
    number: number,
  ) {
    super(OBJECT_ERRORS.invalid_part, `${PART_FAULTS[fault]} (part ${number}).`, {
      hint: 'List the parts of the upload, and upload what is missing.',
    });
  }
}

const PART_FAULTS = {
  missing: 'A part was not uploaded, or has another ETag or checksum',
  order: 'The parts are not in ascending order',
  small: 'Every part but the last must have at least 5 MiB',
} as const;

/** Another request changed the same object over and over. */
export class ObjectContended extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.service_unavailable, 'Too many writes of the same object at once.', {
      hint: 'Retry in a moment.',
      retryAfterSeconds: 1,
    });
  }
}
