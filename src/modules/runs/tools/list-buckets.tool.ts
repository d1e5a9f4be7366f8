import { Injectable } from '@nestjs/common';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import type { Scope } from '../../auth/scopes.js';
import { OrgObjectsService } from '../../objects/org-objects.service.js';
import { within } from './bounded-rows.js';
import { inputOf, SingleTool, succeeded } from './single-tool.js';

const MAX_BYTES = 49_152;

/** Lists the buckets of the organization. */
@Injectable()
export class ListBucketsTool extends SingleTool {
  readonly name = 'list_buckets';
  readonly summary = 'Lists the buckets of the organization.';
  readonly description =
    'Returns the buckets of object storage that the organization has, by name. Everyone can read the objects of a ' +
    'public bucket.';
  readonly inputSchema = inputOf({});
  readonly effect = 'read';
  override readonly scopes: readonly Scope[] = ['storage:read'];

  constructor(
    tools: AgentTools,
    private readonly objects: OrgObjectsService,
  ) {
    super();
    tools.register(this);
  }

  protected async call({ caller }: ToolCall): Promise<ToolOutcome> {
    const buckets = (await this.objects.listBuckets(caller)).map((bucket) => ({
      id: bucket.id,
      name: bucket.name,
      visibility: bucket.visibility,
      object_count: bucket.objectCount,
      size_bytes: bucket.sizeBytes,
    }));
    const { kept, isCut } = within(buckets, MAX_BYTES);
    return succeeded({ buckets: kept, truncated: isCut });
  }
}
