import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import type { Scope } from '../../auth/scopes.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { AttachmentEnds } from '../attachments/attachment-ends.js';
import { BucketNameTaken, BucketNotEmpty, BucketNotFound } from '../objects.errors.js';
import type { Bucket } from '../persistence/bucket-rows.js';
import { BucketsStore } from '../persistence/buckets.store.js';
import { BucketHistory } from './bucket-history.js';
import { BucketCreation, type CreateBucketInput } from './bucket-creation.js';

export type UpdateBucketInput = Partial<Pick<Bucket, 'projectId' | 'name' | 'visibility' | 'cors' | 'expireAfterDays'>>;

/** Manages buckets. */
@Injectable()
export class BucketsService {
  constructor(
    private readonly database: Database,
    private readonly buckets: BucketsStore,
    private readonly creation: BucketCreation,
    private readonly history: BucketHistory,
    private readonly projects: ProjectsService,
    private readonly attachments: AttachmentEnds,
    private readonly clock: Clock,
  ) {}

  /** Lists the buckets of the organization of the call, newest first. */
  list({ org }: Call, projectId: string | undefined, page: PageRequest): Promise<Page<Bucket>> {
    return this.buckets.list(org.id, projectId, page);
  }

  /**
   * @throws {BucketNotFound} `bucket_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get({ principal }: Call, id: string, scope: Scope): Promise<Bucket> {
    const bucket = await this.buckets.find(principal.lookupOrgIds, id);
    if (bucket === undefined) throw new BucketNotFound();
    principal.require(scope, bucket.orgId);
    return bucket;
  }

  /**
   * Creates a bucket in the organization of the call, or in that of its project.
   *
   * @throws {TooManyBuckets} `plan_limit_reached`
   * @throws {BucketNameTaken} `already_exists`
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {RequestInvalid} `invalid_request`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async create(call: Call, input: CreateBucketInput): Promise<Bucket> {
    const project =
      input.projectId === null ? undefined : await this.projects.get(call, input.projectId, 'projects:read');
    const orgId = project?.orgId ?? call.org.id;
    call.principal.require('storage:write', orgId);
    return this.saving(input.name, async () => {
      const bucket = await this.creation.of(call, orgId, { ...input, projectId: project?.id ?? null });
      await this.buckets.insert(bucket);
      await this.history.record(call, 'bucket.created', bucket);
      return bucket;
    });
  }

  /** Changes the given fields. @throws as {@link get} and {@link create}. */
  async update(call: Call, id: string, changes: UpdateBucketInput): Promise<Bucket> {
    const { orgId } = await this.get(call, id, 'storage:write');
    const project =
      changes.projectId == null ? undefined : await this.projects.get(call, changes.projectId, 'projects:read');
    // Usage is billed to the organization that wrote it, so a bucket never leaves it.
    if (project !== undefined && project.orgId !== orgId) throw new BucketNotFound();
    return this.saving(changes.name ?? '', async () => {
      const before = await this.lock(call, id);
      const after: Bucket = {
        ...before,
        ...changes,
        ...(project === undefined ? {} : { projectId: project.id }),
        updatedAt: this.clock.now(),
      };
      this.creation.requireValid(after);
      await this.buckets.save(after);
      await this.history.record(call, 'bucket.updated', after);
      return after;
    });
  }

  /**
   * Deletes a bucket without objects and unfinished uploads.
   *
   * @throws {BucketNotEmpty} `bucket_not_empty`
   * @throws as {@link get}.
   */
  delete(call: Call, id: string): Promise<void> {
    return this.database.transaction(async () => {
      const bucket = await this.lock(call, id);
      await this.attachments.endOfBucket(bucket.id);
      if (!(await this.buckets.deleteEmpty(bucket.id, this.clock.now()))) throw new BucketNotEmpty();
      await this.history.record(call, 'bucket.deleted', bucket);
    });
  }

  /** Finds a bucket of an organization by its label or name, as S3 clients address it. */
  findByName(orgId: string, labelOrName: string): Promise<Bucket | undefined> {
    return this.buckets.findByName(orgId, labelOrName);
  }

  /** Returns all buckets of an organization, by name. */
  allOf(orgId: string): Promise<Bucket[]> {
    return this.buckets.all(orgId);
  }

  private async lock({ principal }: Call, id: string): Promise<Bucket> {
    const bucket = await this.buckets.lock(principal.lookupOrgIds, id);
    if (bucket === undefined) throw new BucketNotFound();
    principal.require('storage:write', bucket.orgId);
    return bucket;
  }

  private async saving(name: string, work: () => Promise<Bucket>): Promise<Bucket> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      throw violatedConstraintOf(error) === 'buckets_name' ? new BucketNameTaken(name) : error;
    }
  }
}
