import { defineErrors } from '../../../platform/errors/define-errors.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';

export const ATTACHMENT_ERRORS = defineErrors({
  bucket_not_attached: { type: 'not_found_error', status: 404, title: 'The bucket is not attached to the project.' },
});

export class BucketNotAttached extends DomainError {
  constructor() {
    super(ATTACHMENT_ERRORS.bucket_not_attached, 'The bucket is not attached to this project.', {
      hint: 'List the attachments of the bucket: GET /api/v1/storage/buckets/:bucket_id/attachments.',
    });
  }
}

export class AttachmentPrefixTaken extends DomainError {
  constructor(prefix: string) {
    super(GENERIC_ERRORS.already_exists, `Another bucket of the project has the prefix ${prefix}.`, {
      hint: 'Choose another prefix.',
    });
  }
}
