import { Module } from '@nestjs/common';
import { RepositoriesModule } from '../repositories.module.js';
import { GitController } from './git.controller.js';
import { RepositoriesController } from './repositories.controller.js';

@Module({ imports: [RepositoriesModule], controllers: [GitController, RepositoriesController] })
export class RepositoriesHttpModule {}
