import { Module } from '@nestjs/common';
import { AttemptsModule } from '../../auth/attempts.module.js';
import { AccountAttempts } from './account-attempts.js';

@Module({ imports: [AttemptsModule], providers: [AccountAttempts], exports: [AccountAttempts] })
export class AccountAttemptsModule {}
