import { defineErrors } from '../../../platform/errors/define-errors.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { ACCESS_ERRORS } from '../../auth/access.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';

export const ACCESS_KEY_ERRORS = defineErrors({
  access_key_not_found: { type: 'not_found_error', status: 404, title: 'Access key not found.' },
  access_key_attached: { type: 'conflict_error', status: 409, title: 'The access key belongs to an attachment.' },
});

export class AccessKeyNotFound extends DomainError {
  constructor() {
    super(ACCESS_KEY_ERRORS.access_key_not_found, 'Access key not found.', {
      hint: 'List the access keys of the organization: GET /api/v1/storage/access-keys.',
    });
  }
}

export class AccessKeyAttached extends DomainError {
  constructor() {
    super(ACCESS_KEY_ERRORS.access_key_attached, 'The access key belongs to the attachment of a bucket to a project.', {
      hint: 'Detach the bucket: DELETE /api/v1/storage/buckets/:bucket_id/attachments/:project_id.',
    });
  }
}

export class TooManyAccessKeys extends DomainError {
  constructor(limit: number) {
    super(PLAN_ERRORS.plan_limit_reached, `Access key limit reached: an organization can have ${limit}.`, {
      hint: 'Delete an access key that is no longer used.',
      details: { limit },
    });
  }
}

/** An access key works from every address, so a key that does not cannot create one. */
export class AccessKeyTooWide extends DomainError {
  constructor() {
    super(ACCESS_ERRORS.insufficient_scopes, 'A key that is limited to IP addresses cannot create access keys.', {
      hint: 'Use a key without allowed_ips, or sign in and create the access key in the dashboard.',
      details: { required_scopes: ['storage:write'], missing_scopes: [], lacked_by: 'key' },
    });
  }
}
