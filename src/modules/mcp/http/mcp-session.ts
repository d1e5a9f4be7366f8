import type { Call } from '../../auth/caller.js';
import type { CarriedCaller } from '../../auth/carried-caller.js';
import type { Budget } from '../../limits/call-budget.service.js';
import type { ToolGroup } from '../tools/tool.js';

/** What the address of the server narrows. It never widens what the credential allows. */
export interface Narrowing {
  readonly readOnly: boolean;
  /** Id or slug of the only project. */
  readonly project: string | undefined;
  /** The only groups of tools. */
  readonly groups: ReadonlySet<ToolGroup> | undefined;
  /** `main`: tools that are limited to branches of a database may also write to the database itself. */
  readonly writes: 'branches' | 'main';
}

/** One request of a client, which carries a message of the protocol. */
export interface McpSession {
  readonly call: Call;
  /** The caller for calls inside of the process, already narrowed to one organization if the address says so. */
  readonly caller: CarriedCaller;
  readonly narrowing: Narrowing;
  /** The call that the request has spent. It is returned when the route behind a tool answers that it is free. */
  readonly spent: Budget | undefined;
  readonly traceId: string;
  /** The header `Idempotency-Key` of the request, if it has one. */
  readonly idempotencyKey: string | undefined;
  readonly dryRun: boolean;
}
