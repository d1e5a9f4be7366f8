import { Module } from '@nestjs/common';
import { OperatorTokenGuard } from './operator-token.guard.js';
import { WrongOperatorTokens } from './wrong-operator-tokens.js';

/** Guards the operator endpoints (service document §5). */
@Module({ providers: [OperatorTokenGuard, WrongOperatorTokens], exports: [OperatorTokenGuard, WrongOperatorTokens] })
export class OperatorsHttpModule {}
