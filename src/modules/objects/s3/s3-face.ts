import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { letTakeLong } from '../../../platform/http/long-request.js';
import { TrustedProxies } from '../../../platform/http/trusted-proxies.js';
import { opens } from '../access-keys/known-access-key.js';
import { isBucketName } from '../buckets/bucket-names.js';
import { BucketsService } from '../buckets/buckets.service.js';
import type { Bucket } from '../persistence/bucket-rows.js';
import { type AdmittedRequest, S3Admission } from './s3-admission.js';
import { S3Answers } from './s3-answers.js';
import { type S3Answer, type S3Call, S3Query } from './s3-call.js';
import { S3Error } from './s3-error.js';
import { isServiceOperation, S3OperationTable } from './s3-operation-table.js';
import { operationOf, S3_OPERATIONS, type S3OperationName } from './s3-routes.js';
import { type S3Target, targetOf } from './s3-target.js';
import { splitTarget } from './signature/canonical.js';

/** Where a request came in. */
export interface S3Entrance {
  /** The target as it was sent, which is what is signed. */
  readonly target: string;
  /** What its path begins with before the bucket, such as `/s3`. */
  readonly base: string;
  /** The bucket that the host names. */
  readonly label: string | undefined;
  /** The origin and base, for addresses in answers. */
  readonly endpoint: string;
  readonly requestId: string;
}

/** Answers requests of S3 clients, which must be signed. */
@Injectable()
export class S3Face {
  constructor(
    private readonly admission: S3Admission,
    private readonly buckets: BucketsService,
    private readonly operations: S3OperationTable,
    private readonly answers: S3Answers,
    private readonly proxies: TrustedProxies,
  ) {}

  /** Never throws. */
  answer(request: IncomingMessage, response: ServerResponse, entrance: S3Entrance): void {
    // Bodies have a limit of their own.
    letTakeLong(response);
    const named: { operation: S3OperationName | undefined } = { operation: undefined };
    const work = this.perform(request, entrance, (operation) => {
      named.operation = operation;
    });
    void this.answers.send(work, { request, response, requestId: entrance.requestId, named });
  }

  private async perform(
    request: IncomingMessage,
    { target, base, label, endpoint, requestId }: S3Entrance,
    name: (operation: S3OperationName) => void,
  ): Promise<S3Answer> {
    const split = requireTarget(target);
    const { bucket: bucketName = '', key = '' } = targetOf(split.path, base, label);
    const query = new S3Query(split.query);
    const operation = operationOf({
      method: request.method ?? '',
      level: levelOf({ bucket: bucketName, key }),
      query,
      isCopy: request.headers['x-amz-copy-source'] !== undefined,
    });
    name(operation);
    const { accessKey, body } = await this.admission.admit(request, split);
    const { org, principal } = accessKey;
    principal.require(S3_OPERATIONS[operation] === 'read' ? 'storage:read' : 'storage:write', org.id);
    const { proxies } = this;
    const call: S3Call = {
      ...{ accessKey, bucketName, key, query, body, endpoint },
      call: {
        ...{ principal, org, requestId },
        // Most operations do not need it.
        get ip() {
          return proxies.chainOf(request)[0] ?? '';
        },
      },
      headers: request.headers,
    };
    if (isServiceOperation(operation)) return this.operations.of[operation].run(call);
    const bucket = await this.bucketOf(accessKey, bucketName);
    return this.operations.of[operation].run({ ...call, bucket });
  }

  /** A bucket of another organization is as one that never was. */
  private async bucketOf(accessKey: AdmittedRequest['accessKey'], name: string): Promise<Bucket> {
    const bucket = isBucketName(name) ? await this.buckets.findByName(accessKey.org.id, name) : undefined;
    if (bucket === undefined || !opens(accessKey, bucket)) throw new S3Error('NoSuchBucket');
    return bucket;
  }
}

const levelOf = ({ bucket, key }: S3Target): 'service' | 'bucket' | 'object' =>
  bucket === '' ? 'service' : key === '' ? 'bucket' : 'object';

function requireTarget(target: string): ReturnType<typeof splitTarget> {
  try {
    return splitTarget(target);
  } catch {
    throw new S3Error('InvalidURI');
  }
}
