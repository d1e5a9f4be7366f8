import type { OpenAPIObject } from '@nestjs/swagger';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Schemas[string];
type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** Describes the path parameters. Each name means the same everywhere, so that controllers need not repeat it. */
const PATH_PARAMETERS: Readonly<Record<string, { description: string; example: string }>> = {
  key_id: { description: 'The id of the key.', example: 'key_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  grant_id: { description: 'The id of the grant.', example: 'grt_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  factor_id: { description: 'The id of the factor.', example: 'fac_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  flow_id: { description: 'The id of the sign-in.', example: 'xsi_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  identity_id: { description: 'The id of the identity.', example: 'idn_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  session_id: { description: 'The id of the session.', example: 'ses_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  org_id: { description: 'The id or slug of the organization.', example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  user_id: { description: 'The id of the member.', example: 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  invitation_id: { description: 'The id of the invitation.', example: 'inv_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  invoice_id: { description: 'The id of the invoice.', example: 'ivc_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  upload_id: { description: 'The id of the upload.', example: 'upl_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  agent_id: { description: 'The id or slug of the agent.', example: 'agt_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  version_number: { description: 'The number of the version.', example: '3' },
  secret_name: { description: 'The name of the secret.', example: 'SHOP_TOKEN' },
  block_label: { description: 'The label of the memory block.', example: 'persona' },
  memory_id: { description: 'The id of the memory.', example: 'mem_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  run_id: { description: 'The id of the run.', example: 'run_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  approval_id: { description: 'The id of the approval.', example: 'apr_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  database_id: { description: 'The id of the database.', example: 'db_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  credential_id: { description: 'The id of the credential.', example: 'dbc_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  bucket_id: { description: 'The id of the bucket.', example: 'bkt_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  access_key_id: { description: 'The id of the access key.', example: 'AK3V9X2MA7Q4B6C8D0E1' },
  schedule_id: { description: 'The id of the schedule.', example: 'sch_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  swarm_id: { description: 'The id of the swarm.', example: 'swm_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  project_id: { description: 'The id or slug of the project.', example: 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  repository_id: { description: 'The id of the repository.', example: 'repo_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  execution_id: { description: 'The id of the execution.', example: 'exe_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  generation_id: { description: 'The id of the generation.', example: 'gen_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  provider_id: { description: 'The ID of the provider.', example: 'openrouter' },
  swarm_task_id: { description: 'The id of the task.', example: 'swt_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  task_id: { description: 'The id of the task.', example: 'tsk_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  queue: { description: 'The name of the queue.', example: 'deploys' },
  job_id: { description: 'The id of the job.', example: '4711' },
  domain: { description: 'The id or the name of the domain.', example: 'shop.example.com' },
  connection_id: { description: 'The id of the SSO connection.', example: 'sso_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  token_id: { description: 'The id of the SCIM token.', example: 'sct_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  domain_id: { description: 'The id of the domain.', example: 'odom_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  hook_id: { description: 'The id of the hook.', example: 'dhk_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  cron_id: { description: 'The id of the cron.', example: 'cron_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  model_id: { description: 'The ID of the model, or an alias.', example: 'openai/gpt-mini' },
  deploy_id: { description: 'The id of the deploy.', example: 'dpl_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  endpoint_id: { description: 'The id of the webhook endpoint.', example: 'whe_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  delivery_id: { description: 'The id of the delivery.', example: 'whd_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  subject: { description: 'What the budget limits.', example: 'key:key_01jd3m8yeqf5rb0xkq5ym8s6tn' },
  installation_id: { description: 'The id of the connection.', example: 'ghi_01jd3m8yeqf5rb0xkq5ym8s6tn' },
};

export function describePathParameters({ paths }: OpenAPIObject): void {
  for (const { parameters = [] } of operationsOf(paths)) {
    for (const parameter of parameters) {
      if ('$ref' in parameter || parameter.in !== 'path') continue;
      const known = PATH_PARAMETERS[parameter.name];
      if (known === undefined) continue;
      parameter.description ??= known.description;
      parameter.example ??= known.example;
    }
  }
}

/** Adds an example to each body that has none, assembled from the examples of its fields. */
export function addBodyExamples({ paths, components }: OpenAPIObject): void {
  for (const { requestBody } of operationsOf(paths)) {
    if (requestBody === undefined || '$ref' in requestBody) continue;
    for (const media of Object.values(requestBody.content)) {
      if (media.examples === undefined && media.schema !== undefined)
        media.example = exampleOf(media.schema, components?.schemas ?? {});
    }
  }
}

const operationsOf = (paths: OpenAPIObject['paths']): Operation[] =>
  Object.values(paths).flatMap((path) => Object.values(path) as Operation[]);

function exampleOf(schema: Schema, schemas: Schemas): unknown {
  if ('$ref' in schema) return exampleOf(schemas[schema.$ref.split('/').at(-1)!]!, schemas);
  const { items, properties } = schema;
  const example: unknown = schema.example;
  if (example !== undefined) return example;
  if (items !== undefined) return [exampleOf(items, schemas)];
  if (properties === undefined) return schema.default as unknown;
  return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, exampleOf(part, schemas)]));
}
