import { Module } from '@nestjs/common';
import { CreditsModule } from '../credits/credits.module.js';
import { EventsModule } from '../events/events.module.js';
import { RunEnding } from './ending/run-ending.js';
import { RunSignals } from './events/run-signals.js';
import { RUN_METRICS } from './metrics/runs.metrics.js';
import { RunsPersistenceModule } from './persistence/runs-persistence.module.js';
import { RunEndsService } from './run-ends.service.js';
import { RunObservers } from './run-observers.js';
import { RunRequestsService } from './run-requests.service.js';
import { RunWakesService } from './run-wakes.service.js';

/** Creating, waking and ending runs of agents. Workers drive them in `engine/`. */
@Module({
  imports: [CreditsModule, EventsModule, RunsPersistenceModule],
  providers: [RunEnding, RunEndsService, RunObservers, RunRequestsService, RunSignals, RunWakesService, ...RUN_METRICS],
  exports: [RunEnding, RunEndsService, RunObservers, RunRequestsService, RunSignals, RunWakesService, ...RUN_METRICS],
})
export class RunsModule {}
