import { Module } from '@nestjs/common';
import { RepositoriesModule } from '../repositories.module.js';
import { RepositoriesSweeper } from './repositories.sweeper.js';

@Module({ imports: [RepositoriesModule], providers: [RepositoriesSweeper] })
export class RepositoriesJobsModule {}
