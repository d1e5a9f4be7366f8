import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import type { JsonSchema } from '../../agents/json-schema.js';
import type { Scope } from '../../auth/scopes.js';
import type { OrgBucket, OrgObjectsService } from '../../objects/org-objects.service.js';
import { isListed, listFaults, missingFaults, notListed } from './listed-resources.js';
import { unknownSettings } from './setting-faults.js';
import { SingleTool, type ToolSettings } from './single-tool.js';

export const BUCKET_PROPERTY: JsonSchema = {
  ...{ type: 'string', minLength: 1, maxLength: 100, description: 'The id or the name of a bucket.' },
};
export const KEY_PROPERTY: JsonSchema = { type: 'string', minLength: 1, maxLength: 1_024 };

/** A tool that works in one bucket, which a version can narrow to those that it lists. */
export abstract class BucketTool extends SingleTool {
  protected abstract readonly objects: OrgObjectsService;
  /** True for a tool that works only in buckets that are listed. */
  protected readonly needsList: boolean = false;

  override faultsOf(settings: ToolSettings, path: string): readonly FieldFault[] {
    const isAbsent = settings['buckets'] === undefined && !this.needsList;
    return [
      ...unknownSettings(settings, ['buckets'], path),
      ...(isAbsent ? [] : listFaults(settings, 'buckets', path)),
    ];
  }

  missingOf(settings: ToolSettings, path: string, orgId: string): Promise<readonly FieldFault[]> {
    return missingFaults(settings, { kind: 'buckets', path }, (names) => this.objects.missing(orgId, names));
  }

  /** Calls `work` with the bucket if the caller and the version may use it. */
  protected async inBucket(
    { caller, input }: ToolCall,
    { settings, scope }: { readonly settings: ToolSettings; readonly scope: Scope },
    work: (bucket: OrgBucket) => Promise<ToolOutcome>,
  ): Promise<ToolOutcome> {
    const idOrName = input['bucket'] as string;
    const bucket = await this.objects.getBucket(caller, idOrName, scope);
    if (!isListed(settings, 'buckets', [bucket.id, bucket.name])) return notListed(settings, 'buckets', idOrName);
    return work(bucket);
  }
}
