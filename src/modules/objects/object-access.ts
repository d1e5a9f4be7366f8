import { Injectable } from '@nestjs/common';
import { AttachmentKeys } from './attachments/attachment-keys.js';
import type { AttachmentTarget } from './attachments/attachment-rows.js';
import { variablesOf } from './attachments/attachment-variables.js';
import { AttachmentsStore } from './attachments/persistence/attachments.store.js';
import { ObjectsSettings } from './objects.settings.js';
import { BucketsStore } from './persistence/buckets.store.js';

/** Programs for S3 name a region, and every name is taken. */
const REGION = 'us-east-1';

/** A bucket that deploys of a project can reach. */
export interface AttachedBucket {
  readonly bucketId: string;
  readonly prefix: string;
  /** Names and values of environment variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** The value among them that must not appear in logs. */
  readonly secret: string;
}

export interface AttachedOptions {
  /** Where the deploy reaches object storage, if not under its public address. */
  readonly endpoint?: string;
}

/** Gives the deploys of projects access to the buckets that are attached to them. */
@Injectable()
export class ObjectAccess {
  constructor(
    private readonly attachments: AttachmentsStore,
    private readonly buckets: BucketsStore,
    private readonly keys: AttachmentKeys,
    private readonly settings: ObjectsSettings,
  ) {}

  /** Returns what the deploys of a target get, in the order in which the buckets were attached. */
  async attachmentsOf(
    projectId: string,
    target: AttachmentTarget,
    { endpoint = this.settings.endpoint }: AttachedOptions = {},
  ): Promise<AttachedBucket[]> {
    const attached: AttachedBucket[] = [];
    for (const { bucketId, prefix, targets, accessKeyId } of await this.attachments.ofProject(projectId)) {
      const bucket = targets.includes(target) ? await this.buckets.findById(bucketId) : undefined;
      if (bucket === undefined) continue;
      const secret = await this.keys.secretOf(accessKeyId);
      const publicUrl = bucket.visibility === 'public' ? this.settings.originOf(bucket.label) : null;
      const facts = { endpoint, bucket: bucket.label, region: REGION, accessKeyId, secret, publicUrl };
      attached.push({ bucketId, prefix, variables: variablesOf(prefix, facts), secret });
    }
    return attached;
  }
}
