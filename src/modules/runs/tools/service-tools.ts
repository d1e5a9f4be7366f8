/**
 * The tools of the MCP server that agents may use, by group. `mcp` stands above this module, so the list is here as
 * well, and a test compares both. Tools that start runs are not on it: a run starts others within its own limits.
 */
export const SERVICE_TOOLS: Readonly<Record<string, readonly string[]>> = {
  account: ['whoami', 'list_organizations', 'get_budget', 'explain_access'],
  projects: ['list_projects', 'get_project', 'create_project', 'update_project', 'list_variables', 'set_variables'],
  repositories: ['list_templates', 'list_repositories', 'create_repository', 'read_files', 'write_files'],
  deploys: [
    'deploy_project',
    'get_deploy',
    'list_deploys',
    'get_deploy_logs',
    'cancel_deploy',
    'promote_deploy',
    'rollback_project',
  ],
  sandbox: [
    'run_code',
    'start_session',
    'list_sessions',
    'run_in_session',
    'run_command_in_session',
    'list_session_files',
    'read_session_file',
    'write_session_file',
    'list_artifacts',
    'read_artifact',
    'end_session',
  ],
  databases: ['list_databases', 'describe_schema', 'query_database', 'create_branch', 'execute_sql'],
  storage: ['list_buckets', 'list_objects', 'read_object', 'write_object', 'sign_url'],
  billing: ['get_usage', 'get_forecast', 'list_prices', 'estimate_cost'],
  help: ['search_docs', 'explain_error'],
};

export const SERVICE_TOOL_GROUPS: readonly string[] = Object.keys(SERVICE_TOOLS);

export const SERVICE_TOOL_NAMES: ReadonlySet<string> = new Set(Object.values(SERVICE_TOOLS).flat());
