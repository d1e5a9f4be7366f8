import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { accountDeletionJob, type AccountDeletionPayload } from '../deletion/account-deletion.job.js';
import { AccountErasureService } from '../deletion/account-erasure.service.js';

@Injectable()
@Handles(accountDeletionJob)
export class AccountDeletionProcessor implements JobHandler<AccountDeletionPayload> {
  constructor(private readonly erasure: AccountErasureService) {}

  handle({ userId }: AccountDeletionPayload): Promise<void> {
    return this.erasure.erase(userId);
  }
}
