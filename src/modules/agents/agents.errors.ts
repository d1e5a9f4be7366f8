import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { type FieldFault, RequestInvalid } from '../../platform/errors/request-invalid.js';
import type { Plan } from '../plans/plan.js';
import { PLAN_ERRORS } from '../plans/plans.errors.js';

export const AGENT_ERRORS = defineErrors({
  agent_not_found: { type: 'not_found_error', status: 404, title: 'Agent not found.' },
  agent_version_not_found: { type: 'not_found_error', status: 404, title: 'Version of the agent not found.' },
  memory_not_found: { type: 'not_found_error', status: 404, title: 'Memory not found.' },
  memory_block_not_found: { type: 'not_found_error', status: 404, title: 'Memory block not found.' },
});

/** The answer is identical for an agent of another tenant and for one that never existed. */
export class AgentNotFound extends DomainError {
  constructor() {
    super(AGENT_ERRORS.agent_not_found, 'Agent not found.', {
      hint: 'List the agents with GET /api/v1/agents; x-service-org selects the organization.',
    });
  }
}

export class AgentVersionNotFound extends DomainError {
  constructor() {
    super(AGENT_ERRORS.agent_version_not_found, 'The agent has no version with this number.', {
      hint: 'List the versions with GET /api/v1/agents/{agent_id}/versions.',
    });
  }
}

export class MemoryNotFound extends DomainError {
  constructor() {
    super(AGENT_ERRORS.memory_not_found, 'The agent has no memory with this id.', {
      hint: 'List the memories with GET /api/v1/agents/{agent_id}/memories.',
    });
  }
}

export class MemoryBlockNotFound extends DomainError {
  constructor(label: string, labels: readonly string[]) {
    super(AGENT_ERRORS.memory_block_not_found, 'The live version of the agent has no memory block with this label.', {
      hint: 'Add the block to memory.blocks of the agent, or use one of its labels.',
      details: { label: label.slice(0, 100), labels },
    });
  }
}

/** What the caller read has changed since: a person or another run wrote it. */
export class BlockVersionStale extends DomainError {
  constructor(label: string, version: number) {
    super(GENERIC_ERRORS.stale_version, `The memory block ${label} has changed: its version is ${version}.`, {
      hint: 'Read the block again, then retry with the new version.',
      details: { name: label, version },
    });
  }
}

export class AgentSlugTaken extends DomainError {
  constructor(slug: string) {
    super(GENERIC_ERRORS.already_exists, `The slug ${slug} is already used by another agent.`, {
      hint: 'Choose another slug.',
      details: { slug },
    });
  }
}

export class TooManyAgents extends DomainError {
  constructor({ id, name }: Plan, limit: number, upgradeUrl: string) {
    super(PLAN_ERRORS.plan_limit_reached, `Agent limit reached: ${name} allows ${limit}.`, {
      hint: `Delete or pause an agent, or upgrade: ${upgradeUrl}`,
      details: { limit, plan: id },
    });
  }
}

/** An agent has as much of something as it can. `path` is the field that adds more. */
export class AgentFull extends RequestInvalid {
  constructor(path: string, fault: Pick<FieldFault, 'code' | 'message' | 'expected'>) {
    super([{ path, in: 'body', ...fault }]);
  }
}

export class SecretNameInvalid extends RequestInvalid {
  constructor() {
    const message = 'secret_name must be 1 to 64 characters of A-Z, 0-9 and _, a letter first';
    super([{ path: 'secret_name', in: 'path', code: 'is_secret_name', message }]);
  }
}
