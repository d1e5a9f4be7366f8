/** What the deploys of a project need to reach a bucket. */
export interface BucketAccessFacts {
  readonly endpoint: string;
  /** The bucket as programs for S3 address it. */
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secret: string;
  /** Null for a private bucket. */
  readonly publicUrl: string | null;
}

/** With this prefix, the SDKs of AWS find the bucket by themselves. */
export const DEFAULT_PREFIX = 'STORAGE';

/** Returns the environment variables of an attachment. Two of the values are secret. */
export function variablesOf(prefix: string, facts: BucketAccessFacts): Readonly<Record<string, string>> {
  const { endpoint, bucket, region, accessKeyId, secret, publicUrl } = facts;
  return {
    [`${prefix}_ENDPOINT`]: endpoint,
    [`${prefix}_BUCKET`]: bucket,
    [`${prefix}_REGION`]: region,
    [`${prefix}_ACCESS_KEY_ID`]: accessKeyId,
    [`${prefix}_SECRET_ACCESS_KEY`]: secret,
    ...(publicUrl === null ? {} : { [`${prefix}_PUBLIC_URL`]: publicUrl }),
    ...(prefix === DEFAULT_PREFIX
      ? {
          AWS_ENDPOINT_URL_S3: endpoint,
          AWS_REGION: region,
          AWS_ACCESS_KEY_ID: accessKeyId,
          AWS_SECRET_ACCESS_KEY: secret,
        }
      : {}),
  };
}
