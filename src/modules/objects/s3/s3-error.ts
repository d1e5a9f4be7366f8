/** The errors of S3 that this service returns, with their status and what they say when nothing else is said. */
const S3_ERRORS = {
  AccessDenied: [403, 'Access denied.'],
  AuthorizationHeaderMalformed: [400, 'The Authorization header is malformed.'],
  AuthorizationQueryParametersError: [400, 'The query parameters of the signature are malformed.'],
  BadDigest: [400, 'The body does not match its checksum.'],
  BucketAlreadyExists: [409, 'The bucket name is not available.'],
  BucketAlreadyOwnedByYou: [409, 'The organization already has a bucket of this name.'],
  BucketNotEmpty: [409, 'The bucket contains objects or unfinished uploads.'],
  EntityTooLarge: [400, 'The object is larger than allowed.'],
  EntityTooSmall: [400, 'Every part but the last must have at least 5 MiB.'],
  ExpiredToken: [400, 'Session tokens are not supported.'],
  IncompleteBody: [400, 'The body is not as long as announced.'],
  InsufficientCredits: [402, 'The credits of the organization are used up.'],
  InternalError: [500, 'An unexpected error occurred. Retry.'],
  InvalidAccessKeyId: [403, 'The access key does not exist.'],
  InvalidArgument: [400, 'An argument is invalid.'],
  InvalidBucketName: [400, 'The bucket name is invalid.'],
  InvalidDigest: [400, 'A checksum in the headers is malformed.'],
  InvalidPart: [400, 'A part was not uploaded, or has another ETag.'],
  InvalidPartOrder: [400, 'The parts are not in ascending order.'],
  InvalidRange: [416, 'The range is outside of the object.'],
  InvalidRequest: [400, 'The request is invalid.'],
  InvalidStorageClass: [400, 'The only storage class is STANDARD.'],
  InvalidURI: [400, 'The path cannot be decoded.'],
  KeyTooLongError: [400, 'The key is longer than 1,024 bytes.'],
  MalformedXML: [400, 'The XML of the body is malformed, or not what this operation takes.'],
  MaxMessageLengthExceeded: [400, 'The body is too large for this operation.'],
  MetadataTooLarge: [400, 'The metadata is larger than 2,048 bytes.'],
  MethodNotAllowed: [405, 'The method is not allowed here.'],
  MissingContentLength: [411, 'The length of the body must be announced.'],
  NoSuchBucket: [404, 'The bucket does not exist.'],
  NoSuchCORSConfiguration: [404, 'The bucket has no CORS configuration.'],
  NoSuchKey: [404, 'The object does not exist.'],
  NoSuchUpload: [404, 'The upload does not exist. It may have been completed, aborted or expired.'],
  NotImplemented: [501, 'This part of S3 is not supported.'],
  PreconditionFailed: [412, 'The object is not as the conditions of the request require.'],
  QuotaExceeded: [413, 'The storage of the organization is full.'],
  RequestTimeout: [400, 'The body did not arrive in time.'],
  RequestTimeTooSkewed: [403, 'The time of the request differs too much from that of the service.'],
  ServiceUnavailable: [503, 'A part of the service is unavailable. Retry.'],
  SignatureDoesNotMatch: [403, 'The signature does not match. Check the secret, the method and what is signed.'],
  SlowDown: [503, 'Too many requests. Retry more slowly.'],
  TooManyBuckets: [400, 'The plan allows no further bucket.'],
  XAmzContentSHA256Mismatch: [400, 'The body does not match x-amz-content-sha256.'],
} as const satisfies Readonly<Record<string, readonly [number, string]>>;

export type S3Code = keyof typeof S3_ERRORS;

/** A refusal in the words of S3. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly status: number;

  constructor(
    readonly code: S3Code,
    message: string = S3_ERRORS[code][1],
    readonly headers: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = S3_ERRORS[code][0];
  }
}
