/** Returns the subject of the budget of an API key, as `/api/v1/billing/budgets/:subject` has it. */
export const keySubject = (keyId: string): string => `key:${keyId}`;

/** Returns the subject of the budget of a project. */
export const projectSubject = (projectId: string): string => `project:${projectId}`;
