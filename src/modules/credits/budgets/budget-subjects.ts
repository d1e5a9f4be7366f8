import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { KeysService } from '../../auth/keys.service.js';
import { BudgetSubjectInvalid } from '../credits.errors.js';

const KEY = /^key:(key_[0-9a-z]{26})$/;

/** Knows what can have a budget. */
@Injectable()
export class BudgetSubjects {
  constructor(private readonly keys: KeysService) {}

  /**
   * Requires that the subject is something that the caller can see.
   *
   * @throws {BudgetSubjectInvalid} `invalid_request`
   * @throws {ApiKeyNotFound} `api_key_not_found`
   */
  async require(call: Call, subject: string): Promise<void> {
    const [, keyId] = KEY.exec(subject) ?? [];
    if (keyId === undefined) throw new BudgetSubjectInvalid();
    await this.keys.get(call, keyId);
  }
}
