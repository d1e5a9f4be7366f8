import { Module } from '@nestjs/common';
import { ApprovalsStore } from './approvals.store.js';
import { RunClaimsStore } from './run-claims.store.js';
import { RunEventsStore } from './run-events.store.js';
import { RunMessagesStore } from './run-messages.store.js';
import { RunStepsStore } from './run-steps.store.js';
import { RunToolCallsStore } from './run-tool-calls.store.js';
import { RunWritesStore } from './run-writes.store.js';
import { RunsStore } from './runs.store.js';

const STORES = [
  ApprovalsStore,
  RunClaimsStore,
  RunEventsStore,
  RunMessagesStore,
  RunStepsStore,
  RunToolCallsStore,
  RunWritesStore,
  RunsStore,
];

@Module({ providers: STORES, exports: STORES })
export class RunsPersistenceModule {}
