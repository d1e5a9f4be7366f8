import { Reflector } from '@nestjs/core';

/**
 * The groups of endpoints that an operator token guards (service document §5). `money` moves money: it takes the token
 * of `ops`, and is disabled while that is not set. `usage` takes usage reports from trusted sources, and is disabled
 * while its token is not set.
 */
export type OperatorSurface = 'ops' | 'metrics' | 'money' | 'usage';

/**
 * The route requires the bearer token of its surface when that token is set. Otherwise `ops` answers only programs on
 * this machine, `metrics` is open, and `money` and `usage` are disabled.
 */
export const RequireOperatorToken = Reflector.createDecorator<OperatorSurface>();
