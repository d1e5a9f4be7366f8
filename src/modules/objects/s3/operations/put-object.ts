import { Injectable } from '@nestjs/common';
import { MAX_BYTES_PARAMETER, requireSignedSize } from '../../links/signed-limits.js';
import { ObjectMetrics } from '../../metrics/object.metrics.js';
import { ObjectsService } from '../../objects/objects.service.js';
import type { StoredObject } from '../../persistence/bucket-rows.js';
import { NamedObjects } from '../named-objects.js';
import { quoted, type S3Answer, type S3Call, type S3ServiceOperation } from '../s3-call.js';
import { checksumHeaders } from '../sent-checksum.js';
import { factsOf } from '../stored-facts.js';
import { writeConditionsOf } from '../write-conditions.js';

@Injectable()
export class PutObject implements S3ServiceOperation {
  constructor(
    private readonly sources: NamedObjects,
    private readonly objects: ObjectsService,
    private readonly metrics: ObjectMetrics,
  ) {}

  async run(call: S3Call): Promise<S3Answer> {
    const { key, headers, query, body } = call;
    const { bucket, object: earlier = null } = await this.sources.locate(call);
    const content = body.ofObject();
    requireSignedSize(query.get(MAX_BYTES_PARAMETER), content.size);
    const input = { facts: factsOf(headers), body: content, conditions: writeConditionsOf(headers), earlier };
    const object = await this.objects.put(bucket, key, input);
    this.metrics.moved('in', object.size);
    return { status: 200, headers: storedHeaders(object) };
  }
}

const storedHeaders = (object: StoredObject): Record<string, string> => ({
  etag: quoted(object.etag),
  ...checksumHeaders(object.checksum),
});
