import { Module } from '@nestjs/common';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { ExpiredSessionsSweeper } from './expired-sessions.sweeper.js';

@Module({
  imports: [PersistenceModule],
  providers: [ExpiredSessionsSweeper],
})
export class AuthJobsModule {}
