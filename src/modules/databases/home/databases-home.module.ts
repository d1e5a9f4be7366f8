import { Module } from '@nestjs/common';
import { IsolationModule } from '../../../platform/isolation/isolation.module.js';
import { DatabasesHome } from './databases-home.js';

@Module({ imports: [IsolationModule], providers: [DatabasesHome], exports: [DatabasesHome] })
export class DatabasesHomeModule {}
