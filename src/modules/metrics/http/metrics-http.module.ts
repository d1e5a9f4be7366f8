import { Module } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { BUILD_INFO } from './build-info.js';
import { MetricsController } from './metrics.controller.js';

@Module({
  imports: [PrometheusModule.register({ controller: MetricsController, defaultMetrics: { enabled: true } })],
  providers: BUILD_INFO,
})
export class MetricsHttpModule {}
