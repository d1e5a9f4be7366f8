import { Injectable } from '@nestjs/common';
import { ApprovalsStore } from '../persistence/approvals.store.js';
import { RunMessagesStore } from '../persistence/run-messages.store.js';
import { RunToolCallsStore } from '../persistence/run-tool-calls.store.js';
import { RunsStore } from '../persistence/runs.store.js';

/** The tables that a decision changes. */
@Injectable()
export class ApprovalStores {
  constructor(
    readonly approvals: ApprovalsStore,
    readonly calls: RunToolCallsStore,
    readonly messages: RunMessagesStore,
    readonly runs: RunsStore,
  ) {}
}
