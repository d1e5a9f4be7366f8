export const OPS_TASK_STATUSES = ['open', 'claimed', 'resolved'] as const;
export type OpsTaskStatus = (typeof OPS_TASK_STATUSES)[number];

export const SEVERITIES = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The tag of a task without a runbook. */
export const UNTAGGED = 'untagged';
