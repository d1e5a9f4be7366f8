import { ACCOUNT_TOOLS } from './account.js';
import { AGENT_TOOLS } from './agents.js';
import { BILLING_TOOLS } from './billing.js';
import { DATABASE_TOOLS } from './databases.js';
import { DEPLOY_TOOLS } from './deploys.js';
import { HELP_TOOLS } from './help.js';
import { PROJECT_TOOLS } from './projects.js';
import { REPOSITORY_TOOLS } from './repositories.js';
import { SANDBOX_TOOLS } from './sandbox.js';
import { STORAGE_TOOLS } from './storage.js';
import type { ToolFile } from './tool.js';

/** All tools, in the order in which they are listed. */
export const TOOL_FILES: readonly ToolFile[] = [
  ACCOUNT_TOOLS,
  PROJECT_TOOLS,
  REPOSITORY_TOOLS,
  DEPLOY_TOOLS,
  SANDBOX_TOOLS,
  DATABASE_TOOLS,
  STORAGE_TOOLS,
  AGENT_TOOLS,
  BILLING_TOOLS,
  HELP_TOOLS,
];
