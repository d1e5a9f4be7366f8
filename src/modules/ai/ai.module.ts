import { Module } from '@nestjs/common';
import { MeteringModule } from '../metering/metering.module.js';
import { ModelsService } from './catalog/models.service.js';
import { PRICE_SYNC_METRICS } from './catalog/price-sync-reports.js';
import { PriceSyncService } from './catalog/price-sync.service.js';
import { ModelsStore } from './persistence/models.store.js';
import { ModelRouters } from './routers/model-routers.js';
import { ModelSender } from './routing/model-sender.js';
import { ROUTING_METRICS } from './routing/routing.metrics.js';

/** Models behind one key: routers, prices, and the way to them. */
@Module({
  imports: [MeteringModule],
  providers: [
    ModelRouters,
    ModelSender,
    ModelsService,
    ModelsStore,
    PriceSyncService,
    ...PRICE_SYNC_METRICS,
    ...ROUTING_METRICS,
  ],
  exports: [ModelRouters, ModelSender, ModelsService, PriceSyncService],
})
export class AiModule {}
