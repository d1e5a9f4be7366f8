import { Module } from '@nestjs/common';
import { PersonalDataModule } from '../../auth/personal-data.module.js';
import { FactorsModule } from '../factors.module.js';
import { ExportedFactors } from './exported-factors.js';
import { FactorsController } from './factors.controller.js';

@Module({
  imports: [FactorsModule, PersonalDataModule],
  providers: [ExportedFactors],
  controllers: [FactorsController],
})
export class FactorsHttpModule {}
