import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { ProjectNotFound } from '../../projects/projects.errors.js';
import { type Project, ProjectsService } from '../../projects/projects.service.js';
import { BucketsService } from '../buckets/buckets.service.js';
import type { Bucket } from '../persistence/bucket-rows.js';
import { AttachmentEnds } from './attachment-ends.js';
import { AttachmentKeys } from './attachment-keys.js';
import type { BucketAttachment } from './attachment-rows.js';
import { AttachmentPrefixTaken, BucketNotAttached } from './attachments.errors.js';
import { AttachmentsStore } from './persistence/attachments.store.js';

export type AttachInput = Pick<BucketAttachment, 'prefix' | 'access' | 'targets'>;

/** Attaches buckets to projects. Their next deploys get the variables. */
@Injectable()
export class BucketAttachmentsService {
  constructor(
    private readonly database: Database,
    private readonly attachments: AttachmentsStore,
    private readonly keys: AttachmentKeys,
    private readonly ends: AttachmentEnds,
    private readonly buckets: BucketsService,
    private readonly projects: ProjectsService,
    private readonly orgs: OrgDirectory,
  ) {}

  /** @throws {BucketNotFound} `bucket_not_found` @throws {InsufficientScopes} `insufficient_scopes` */
  async list(call: Call, bucketId: string): Promise<BucketAttachment[]> {
    const bucket = await this.buckets.get(call, bucketId, 'storage:read');
    return this.attachments.ofBucket(bucket.id);
  }

  /**
   * Attaches a bucket to a project of the same organization, or changes the attachment. A change of the access makes
   * another key pair.
   *
   * @throws as {@link list}. @throws {ProjectNotFound} `project_not_found`
   * @throws {AttachmentPrefixTaken} `already_exists`
   */
  async attach(call: Call, bucketId: string, projectIdOrSlug: string, input: AttachInput): Promise<BucketAttachment> {
    const bucket = await this.buckets.get(call, bucketId, 'storage:write');
    try {
      return await this.database.transaction(async () => {
        const project = await this.lockProject(call, bucket, projectIdOrSlug);
        const before = await this.attachments.lock(bucket.id, project.id);
        const keeps = before?.access === input.access;
        const owner = { bucket, projectId: project.id, access: input.access };
        const accessKeyId = keeps ? before.accessKeyId : await this.keys.make(call, owner);
        const createdAt = before?.createdAt ?? this.keys.now;
        const attachment = { bucketId: bucket.id, projectId: project.id, ...input, accessKeyId, createdAt };
        await this.attachments.save(attachment);
        if (before !== undefined && !keeps) await this.keys.end(before.accessKeyId);
        await this.record(call, 'bucket.attached', bucket, attachment);
        return attachment;
      });
    } catch (error) {
      throw violatedConstraintOf(error) === 'storage_attachments_prefix'
        ? new AttachmentPrefixTaken(input.prefix)
        : error;
    }
  }

  /**
   * Ends an attachment and its key pair: deploys that run cannot reach the bucket any more.
   *
   * @throws as {@link attach}. @throws {BucketNotAttached} `bucket_not_attached`
   */
  async detach(call: Call, bucketId: string, projectIdOrSlug: string): Promise<void> {
    const bucket = await this.buckets.get(call, bucketId, 'storage:write');
    await this.database.transaction(async () => {
      const project = await this.lockProject(call, bucket, projectIdOrSlug);
      const attachment = await this.attachments.lock(bucket.id, project.id);
      if (attachment === undefined) throw new BucketNotAttached();
      await this.ends.end(attachment);
      await this.record(call, 'bucket.detached', bucket, attachment);
    });
  }

  /** A project of another organization answers as one that never was. */
  private async lockProject(call: Call, { orgId }: Bucket, idOrSlug: string): Promise<Project> {
    const project = await this.projects.lock(call, idOrSlug, 'projects:write');
    if (project.orgId !== orgId) throw new ProjectNotFound();
    return project;
  }

  private record(
    call: Call,
    action: `bucket.${string}`,
    { id, orgId }: Bucket,
    { projectId, prefix, access, targets }: BucketAttachment,
  ): Promise<void> {
    const details = { project_id: projectId, prefix, access, targets };
    return this.orgs.record({ orgId, action, target: { type: 'bucket', id }, details }, call);
  }
}
