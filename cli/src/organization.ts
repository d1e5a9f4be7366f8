import type { Service } from '@service/client';
import type { Context } from './context.js';

/** The organization that `--org` names, or else that of the key. */
export const organizationOf = async ({ organization }: Context, service: Service): Promise<string> =>
  organization ?? (await service.me.get()).organization.id;
