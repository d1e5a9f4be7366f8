import { Module } from '@nestjs/common';
import { CreditsModule } from '../../credits/credits.module.js';
import { SWARM_METRICS } from '../metrics/swarms.metrics.js';
import { SwarmsPersistenceModule } from '../persistence/swarms-persistence.module.js';
import { SwarmsModule } from '../swarms.module.js';
import { OldSwarmsSweeper } from './old-swarms.sweeper.js';
import { SwarmLeasesSweeper } from './swarm-leases.sweeper.js';
import { SwarmReviewsSweeper } from './swarm-reviews.sweeper.js';
import { SwarmTurnsTicker } from './swarm-turns.ticker.js';

@Module({
  imports: [CreditsModule, SwarmsModule, SwarmsPersistenceModule],
  providers: [OldSwarmsSweeper, SwarmLeasesSweeper, SwarmReviewsSweeper, SwarmTurnsTicker, ...SWARM_METRICS],
})
export class SwarmsJobsModule {}
