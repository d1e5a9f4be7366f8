import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { KeysService } from '../../auth/keys.service.js';
import { ProjectOwners } from '../../metering/project-owners.js';
import { BudgetSubjectInvalid, BudgetSubjectNotFound } from '../credits.errors.js';

const SUBJECT = /^(?:key:(key_[0-9a-z]{26})|project:(prj_[0-9a-z]{26}))$/;

/** Knows what can have a budget. */
@Injectable()
export class BudgetSubjects {
  constructor(
    private readonly keys: KeysService,
    private readonly projects: ProjectOwners,
  ) {}

  /**
   * Requires that the subject is something of the organization, and a key also something that the caller can see.
   *
   * @throws {BudgetSubjectInvalid} `invalid_request`
   * @throws {ApiKeyNotFound} `api_key_not_found`
   * @throws {BudgetSubjectNotFound} `budget_subject_not_found`
   */
  async require(call: Call, subject: string): Promise<void> {
    const [, keyId, projectId] = SUBJECT.exec(subject) ?? [];
    if (keyId !== undefined) await this.keys.get(call, keyId);
    else if (projectId === undefined) throw new BudgetSubjectInvalid();
    else if ((await this.projects.ownersOf([projectId])).get(projectId) !== call.org.id)
      throw new BudgetSubjectNotFound();
  }
}
