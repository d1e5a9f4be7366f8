import { Module } from '@nestjs/common';
import { PersistenceModule } from './persistence/persistence.module.js';
import { RunPrincipalsService } from './run-principals.service.js';

@Module({ imports: [PersistenceModule], providers: [RunPrincipalsService], exports: [RunPrincipalsService] })
export class RunPrincipalsModule {}
