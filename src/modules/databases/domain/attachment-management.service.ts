import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { AttachmentPrefixTaken, DatabaseAttachmentNotFound, TooManyAttachments } from '../databases.errors.js';
import type { Attachment, AttachmentFields } from '../persistence/attachment-rows.js';
import { DatabaseAttachmentsStore } from '../persistence/database-attachments.store.js';
import type { DatabaseRow } from '../persistence/database-rows.js';
import { DatabaseAdmission } from './database-admission.js';
import { DatabaseDirectory } from './database-directory.js';
import { PreviewBranches } from './preview-branches.js';

/** Each takes a port in the deploys of the project. */
const MOST_OF_PROJECT = 20;

/** Attaches databases to projects, so that their deploys can use them. */
@Injectable()
export class AttachmentManagementService {
  constructor(
    private readonly database: Database,
    private readonly attachments: DatabaseAttachmentsStore,
    private readonly directory: DatabaseDirectory,
    private readonly admission: DatabaseAdmission,
    private readonly projects: ProjectsService,
    private readonly previews: PreviewBranches,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists the attachments of a database in the order of the ids of projects.
   *
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(call: Call, id: string, page: PageRequest): Promise<Page<Attachment>> {
    return this.attachments.list((await this.directory.get(call, id, 'databases:read')).id, page);
  }

  /**
   * Attaches a database to a project, or changes how it is attached.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {AttachmentPrefixTaken} `already_exists`
   * @throws {RequestInvalid} `invalid_request`
   * @throws as {@link list}.
   */
  attach(call: Call, id: string, projectIdOrSlug: string, fields: AttachmentFields): Promise<Attachment> {
    return this.database.transaction(async () => {
      const database = await this.directory.get(call, id, 'databases:write');
      const projectId = await this.lockProject(call, database, projectIdOrSlug);
      requireBranches(database, fields);
      const others = await this.attachments.ofProject(projectId);
      const known = others.find(({ databaseId }) => databaseId === id);
      if (known === undefined && others.length >= MOST_OF_PROJECT) throw new TooManyAttachments(MOST_OF_PROJECT);
      if (others.some((other) => other !== known && other.prefix === fields.prefix && overlaps(other, fields)))
        throw new AttachmentPrefixTaken(fields.prefix);
      const at = this.clock.now();
      const attachment: Attachment = {
        ...fields,
        databaseId: id,
        projectId,
        createdBy: known?.createdBy ?? call.principal.user.id,
        createdAt: known?.createdAt ?? at,
        updatedAt: at,
      };
      await this.attachments.save(attachment);
      if (fields.previews !== 'branch') await this.previews.forget({ projectId, parentId: id });
      const { prefix, targets, previews, access } = fields;
      const details = { project_id: projectId, prefix, targets, previews, access };
      await this.directory.record(call, 'database.attached', database, details);
      return attachment;
    });
  }

  /**
   * Detaches a database from a project. Deploys that run keep it until they are replaced.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {DatabaseAttachmentNotFound} `database_attachment_not_found`
   * @throws as {@link list}.
   */
  detach(call: Call, id: string, projectIdOrSlug: string): Promise<void> {
    return this.database.transaction(async () => {
      const database = await this.directory.get(call, id, 'databases:write');
      const projectId = await this.lockProject(call, database, projectIdOrSlug);
      if (!(await this.attachments.delete(id, projectId))) throw new DatabaseAttachmentNotFound();
      await this.previews.forget({ projectId, parentId: id });
      await this.directory.record(call, 'database.detached', database, { project_id: projectId });
    });
  }

  /** The lock lets concurrent attachments of the project see each other. */
  private async lockProject(call: Call, { org_id }: DatabaseRow, idOrSlug: string): Promise<string> {
    const id = await this.admission.projectIdOf(call, org_id, idOrSlug, 'databases:write');
    await this.projects.lock(call, id, 'databases:write');
    return id;
  }
}

const overlaps = (one: AttachmentFields, other: AttachmentFields): boolean =>
  one.targets.some((target) => other.targets.includes(target));

function requireBranches({ engine }: DatabaseRow, { previews }: AttachmentFields): void {
  if (previews !== 'branch' || engine === 'own') return;
  throw new RequestInvalid([
    {
      path: 'previews',
      in: 'body',
      code: 'can_branch',
      message: 'previews must be "same" or "none", because this database cannot be branched.',
      expected: ['same', 'none'],
    },
  ]);
}
