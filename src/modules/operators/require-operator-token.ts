import { Reflector } from '@nestjs/core';

/**
 * The surfaces of the service that an operator's token guards (service document §5). `money` is what moves money: it
 * has the token of `ops`, and answers nobody where that is not set. `usage` is what trusted sources report usage to; it
 * is off where its token is not set.
 */
export type OperatorSurface = 'ops' | 'metrics' | 'money' | 'usage';

/**
 * The route requires the bearer token of its surface when that token is set. Otherwise `ops` serves programs on this
 * machine only, `metrics` is open, and `money` and `usage` serve nobody.
 */
export const RequireOperatorToken = Reflector.createDecorator<OperatorSurface>();
