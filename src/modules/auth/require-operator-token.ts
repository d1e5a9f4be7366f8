import { Reflector } from '@nestjs/core';

/** The surfaces of the service that an operator's token guards (service document §5). */
export type OperatorSurface = 'ops' | 'metrics';

/** The route wants the bearer token of its surface, when that token is set; else it is open. */
export const RequireOperatorToken = Reflector.createDecorator<OperatorSurface>();
