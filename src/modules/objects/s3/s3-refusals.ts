import { isDatabaseUnavailable } from '../../../platform/database/database-unavailable.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { InvalidPart } from '../objects.errors.js';
import { type S3Code, S3Error } from './s3-error.js';

const CODES: Readonly<Record<string, S3Code>> = {
  already_exists: 'BucketAlreadyOwnedByYou',
  bucket_not_empty: 'BucketNotEmpty',
  bucket_not_found: 'NoSuchBucket',
  budget_exceeded: 'InsufficientCredits',
  burst_limit_exceeded: 'SlowDown',
  checksum_mismatch: 'BadDigest',
  credits_exhausted: 'InsufficientCredits',
  incomplete_body: 'IncompleteBody',
  insufficient_scopes: 'AccessDenied',
  invalid_key: 'InvalidArgument',
  invalid_request: 'InvalidArgument',
  length_required: 'MissingContentLength',
  object_changed: 'PreconditionFailed',
  object_not_found: 'NoSuchKey',
  object_too_large: 'EntityTooLarge',
  org_access_denied: 'AccessDenied',
  payload_too_large: 'EntityTooLarge',
  plan_limit_reached: 'TooManyBuckets',
  range_not_satisfiable: 'InvalidRange',
  request_timeout: 'RequestTimeout',
  service_unavailable: 'ServiceUnavailable',
  spend_cap_reached: 'InsufficientCredits',
  storage_full: 'QuotaExceeded',
  storage_unavailable: 'ServiceUnavailable',
  object_upload_not_found: 'NoSuchUpload',
};

const PARTS = { missing: 'InvalidPart', order: 'InvalidPartOrder', small: 'EntityTooSmall' } as const;

/** Says in the words of S3 what went wrong. What is no refusal becomes `InternalError` with its cause. */
export function refusalOf(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  if (error instanceof InvalidPart) return new S3Error(PARTS[error.fault], error.message);
  if (error instanceof DomainError) {
    const code = CODES[error.code];
    const { retryAfterSeconds, headers } = error.help;
    if (code !== undefined) {
      const more = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      return new S3Error(code, error.message, { ...headers, ...more }, { cause: error });
    }
  }
  if (isDatabaseUnavailable(error))
    return new S3Error('ServiceUnavailable', undefined, { 'retry-after': '2' }, { cause: error });
  return new S3Error('InternalError', undefined, {}, { cause: error });
}
