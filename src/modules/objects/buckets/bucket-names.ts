import { randomInt } from 'node:crypto';
import { trimEnd } from '../../../platform/text/trim.js';

/** The rules of S3, without dots, because certificates for `*.` cover no further dot. */
const NAME = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;
const TAG = 'abcdefghijkmnpqrstuvwxyz23456789';
const TAG_LENGTH = 8;
const MAX_LABEL = 63;

export const BUCKET_NAME_RULE = 'must be 3 to 63 lower-case letters, digits and hyphens, and begin and end with none';

export const isBucketName = (text: string): boolean => NAME.test(text);

/** Returns `photos-k3v9x2ma`, which no one can choose. */
export function bucketLabelOf(name: string): string {
  const tag = Array.from({ length: TAG_LENGTH }, () => TAG[randomInt(TAG.length)]).join('');
  return `${trimEnd(name.slice(0, MAX_LABEL - TAG_LENGTH - 1), '-')}-${tag}`;
}
