import { Module } from '@nestjs/common';
import { FactorsModule } from '../factors.module.js';
import { ExportedFactors } from './exported-factors.js';
import { FactorsController } from './factors.controller.js';

@Module({
  imports: [FactorsModule],
  providers: [ExportedFactors],
  controllers: [FactorsController],
})
export class FactorsHttpModule {}
