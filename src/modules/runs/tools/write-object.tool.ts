import { Injectable } from '@nestjs/common';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import type { Scope } from '../../auth/scopes.js';
import { OrgObjectsService } from '../../objects/org-objects.service.js';
import { storable } from './bounded-text.js';
import { BUCKET_PROPERTY, BucketTool, KEY_PROPERTY } from './bucket-tool.js';
import { inputOf, succeeded, type ToolSettings } from './single-tool.js';

const DEFAULT_TYPE = 'text/plain; charset=utf-8';

interface Input {
  readonly key: string;
  readonly content: string;
  readonly content_type?: string;
  readonly expected_version: string | null;
}

/** Writes objects of buckets. */
@Injectable()
export class WriteObjectTool extends BucketTool {
  readonly name = 'write_object';
  readonly summary = 'Writes a text as an object of a bucket.';
  readonly description =
    'Stores a text under a key. `expected_version` is the version of the object that you replace, which read_object ' +
    'returns: if the object has changed since, nothing is written. Null means that there must be no object with the ' +
    'key. Everyone can read the objects of a public bucket.';
  readonly inputSchema = inputOf(
    {
      bucket: BUCKET_PROPERTY,
      key: KEY_PROPERTY,
      content: { type: 'string', maxLength: 200_000 },
      content_type: {
        type: 'string',
        maxLength: 200,
        pattern: '^[a-z0-9.+-]+/[ -~]+$',
        description: `The default is "${DEFAULT_TYPE}".`,
      },
      expected_version: { type: ['string', 'null'], minLength: 1, maxLength: 100 },
    },
    ['content_type'],
  );
  readonly effect = 'keyed';
  override readonly scopes: readonly Scope[] = ['storage:write'];
  override readonly isOutward = true;
  protected override readonly needsList = true;

  constructor(
    tools: AgentTools,
    protected readonly objects: OrgObjectsService,
  ) {
    super();
    tools.register(this);
  }

  protected call(call: ToolCall, settings: ToolSettings): Promise<ToolOutcome> {
    return this.inBucket(call, { settings, scope: 'storage:write' }, async ({ id }) => {
      const { key, content, content_type: contentType, expected_version: version } = call.input as unknown as Input;
      const { caller, effectKey } = call;
      const written = await this.objects.write(
        caller,
        { bucketId: id, key },
        {
          content: Buffer.from(storable(content)),
          contentType: contentType ?? DEFAULT_TYPE,
          expectedVersion: version,
          effectKey,
        },
      );
      return succeeded({ bucket_id: id, key, version: written.version, size_bytes: written.sizeBytes });
    });
  }
}
