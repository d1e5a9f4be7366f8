import { ANONYMOUS_TOOLS } from './anonymous.js';
import { OPERATOR_TOOLS } from './operator.js';
import type { Tool } from './tool.js';

/** The places whose callers have no key. */
export type OutsidePlace = 'anonymous' | 'ops';

export const OUTSIDE_LISTS: Readonly<Record<OutsidePlace, readonly Tool[]>> = {
  anonymous: ANONYMOUS_TOOLS,
  ops: OPERATOR_TOOLS,
};
