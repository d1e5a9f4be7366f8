import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { AccessKeyAdmission } from '../access-keys/access-key-admission.js';
import type { KnownAccessKey } from '../access-keys/known-access-key.js';
import { RequestBody } from './body/request-body.js';
import { S3Error } from './s3-error.js';
import { splitTarget } from './signature/canonical.js';
import { checkSignature, requireHeaders, requireTime } from './signature/signature-check.js';
import { signatureFieldsOf } from './signature/signature-fields.js';

export interface AdmittedRequest {
  readonly accessKey: KnownAccessKey;
  readonly body: RequestBody;
}

/** Checks signatures, and counts what is signed against the burst limit of its key. */
@Injectable()
export class S3Admission {
  constructor(
    private readonly keys: AccessKeyAdmission,
    private readonly clock: Clock,
  ) {}

  /**
   * @param target as it was sent.
   * @throws {S3Error}
   * @throws {BurstLimitExceeded} `burst_limit_exceeded`
   */
  async admit(request: IncomingMessage, { path, query }: ReturnType<typeof splitTarget>): Promise<AdmittedRequest> {
    const fields = signatureFieldsOf(request, query);
    if (fields === undefined) throw new S3Error('AccessDenied', 'The request has no signature.');
    requireTime(fields, this.clock.now());
    requireHeaders(fields, request);
    const found = await this.keys.find(fields.accessKeyId);
    if (found === undefined) throw new S3Error('InvalidAccessKeyId');
    const chain = checkSignature(fields, { request, path, query }, found.secret);
    const accessKey = await this.keys.admit(found);
    if (accessKey === undefined) throw new S3Error('InvalidAccessKeyId');
    return { accessKey, body: new RequestBody(request, fields.payload, chain) };
  }
}
