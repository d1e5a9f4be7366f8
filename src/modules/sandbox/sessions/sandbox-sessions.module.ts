import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { LimitsModule } from '../../limits/limits.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { SESSION_COUNTERS, SessionCounter } from '../metrics/session.metrics.js';
import { SandboxPersistenceModule } from '../persistence/sandbox-persistence.module.js';
import { SandboxModule } from '../sandbox.module.js';
import { SessionLine } from './line/session-line.js';
import { NewSessions } from './new-sessions.js';
import { RunSessions } from './run-sessions.js';
import { SessionEnds } from './session-ends.js';
import { SessionFilesService } from './session-files.service.js';
import { SessionSignals } from './session-signals.js';
import { SessionStarts } from './session-starts.js';
import { SessionWorkService } from './session-work.service.js';
import { StartingSessions } from './starting-sessions.js';
import { LostSessionsSweeper } from './lost-sessions-sweeper.js';
import { SandboxSessionsService } from './sandbox-sessions.service.js';

/** Sessions of the sandbox, as their callers see them. */
@Module({
  imports: [AuditModule, ExecutionsModule, LimitsModule, SandboxModule, SandboxPersistenceModule],
  providers: [
    LostSessionsSweeper,
    NewSessions,
    RunSessions,
    SandboxSessionsService,
    SessionEnds,
    SessionFilesService,
    SessionLine,
    SessionSignals,
    SessionStarts,
    SessionWorkService,
    StartingSessions,
    ...SESSION_COUNTERS,
  ],
  exports: [
    RunSessions,
    SessionCounter,
    SandboxSessionsService,
    SessionEnds,
    SessionFilesService,
    SessionSignals,
    SessionWorkService,
  ],
})
export class SandboxSessionsModule {}
