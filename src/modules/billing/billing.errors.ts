import { DomainError } from '../../platform/errors/domain-error.js';
import type { Plan } from './plan.js';

/** Of something that a plan limits, an organization has more than the plan holds. */
export interface Excess {
  readonly limit: 'projects' | 'repositories';
  readonly allowed: number;
  readonly used: number;
}

/** What the organization has does not fit into the smaller plan that it wants. */
export class PlanTooSmall extends DomainError {
  constructor({ id, name }: Plan, over: readonly Excess[]) {
    const list = over.map(({ limit, allowed, used }) => `${used} ${limit}, where ${allowed} have room`).join('; ');
    super('plan_too_small', `The organization has more than the plan ${name} holds: ${list}.`, {
      hint: 'Delete what is not needed any more, then choose the plan again.',
      details: { plan: id, over },
    });
  }
}

/** Enterprise is agreed on with people, both its beginning and its end. */
export class PlanByContract extends DomainError {
  constructor({ id, name }: Plan) {
    super('plan_by_contract', `The plan ${name} begins and ends by contract.`, {
      hint: 'Write to whoever runs this service.',
      details: { plan: id },
    });
  }
}

/** An operator names an organization that is not there, or was deleted. */
export class OrganizationUnknown extends DomainError {
  constructor() {
    super('organization_not_found', 'There is no such organization.');
  }
}
