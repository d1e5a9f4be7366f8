import { Module } from '@nestjs/common';
import { AccessGuard } from './access.guard.js';
import { OPEN_SURFACES } from './open-surfaces.js';
import { OperatorTokenGuard } from './operator-token.guard.js';

@Module({ providers: [AccessGuard, OperatorTokenGuard, ...OPEN_SURFACES], exports: [AccessGuard, OperatorTokenGuard] })
export class AuthHttpModule {}
