import { Injectable } from '@nestjs/common';
import { PreviewBranches } from './domain/preview-branches.js';
import type { AttachmentAccess, AttachmentTarget, PreviewDatabases } from './persistence/attachment-rows.js';
import { DatabaseAttachmentsStore } from './persistence/database-attachments.store.js';

/** A database that deploys of a project get. */
export interface AttachedDatabase {
  readonly databaseId: string;
  /** The beginning of the variables, such as `<prefix>_URL`. No two of a project are equal for the same target. */
  readonly prefix: string;
  readonly access: AttachmentAccess;
  /** Previews with `branch` use what {@link DatabaseAttachments.branchFor} returns instead. */
  readonly previews: PreviewDatabases;
}

export interface PreviewOf {
  readonly databaseId: string;
  readonly projectId: string;
  /** The git branch. */
  readonly branch: string;
}

/** The databases that deploys of projects get, for builds and hosting. No caller is checked. */
@Injectable()
export class DatabaseAttachments {
  constructor(
    private readonly attachments: DatabaseAttachmentsStore,
    private readonly previews: PreviewBranches,
  ) {}

  /**
   * Returns the attached databases that are ready, oldest attachment first, which is the order of their ports. With a
   * git branch, those with `previews: branch` are the branches that {@link branchFor} returns. Without one, the caller
   * has to ask for these, and must not let a preview use the attached database itself.
   *
   * @throws as {@link branchFor}.
   */
  async ofProject(projectId: string, target: AttachmentTarget, branch?: string): Promise<AttachedDatabase[]> {
    const attached: AttachedDatabase[] = [];
    for (const { databaseId, prefix, access, previews } of await this.attachments.inForce(projectId, target)) {
      const isBranched = target === 'preview' && previews === 'branch' && branch !== undefined;
      const id = isBranched ? await this.branchFor({ databaseId, projectId, branch }) : databaseId;
      attached.push({ databaseId: id, prefix, access, previews });
    }
    return attached;
  }

  /**
   * Returns the branch of a database for the previews of a git branch, and asks for it if there is none. It may still
   * be `creating`. It is deleted after 7 days without a deploy or a connection.
   *
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {TooManyDatabases} `plan_limit_reached`
   * @throws {CreditsExhausted} `credits_exhausted`
   */
  branchFor({ databaseId, projectId, branch }: PreviewOf): Promise<string> {
    return this.previews.branchFor({ parentId: databaseId, projectId, branch });
  }

  /** A git branch was deleted: the databases of its previews are deleted within the hour. */
  forgetBranch(projectId: string, branch: string): Promise<void> {
    return this.previews.forget({ projectId, branch });
  }
}
