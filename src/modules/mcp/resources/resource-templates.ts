import type { Tool } from '../tools/tool.js';

export type ResourceVariable = 'page' | 'code' | 'project' | 'deploy' | 'database';

/** A kind of text that clients can attach to a conversation. It is what a tool that reads returns. */
export interface ResourceTemplate {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly uriTemplate: string;
  /** The form of its addresses. The first group is the variable of the template. */
  readonly form: RegExp;
  readonly variable: ResourceVariable;
  readonly mimeType: 'text/markdown' | 'application/json' | 'text/plain';
  /** The tool whose answer it is, and whose rights it has; or {@link READ_PAGE}, which is not listed. */
  readonly tool: string;
  /** The argument of the tool that the variable is. */
  readonly argument: string;
}

/** A page is a resource alone: a model that searches gets the sections that it needs. */
export const READ_PAGE: Tool = {
  name: 'read_page',
  title: 'Read a page',
  description: 'Returns a page of the documentation.',
  method: 'GET',
  path: '/docs/{page}',
  effect: 'reads',
  answers: 'text',
  undocumented: { in: 'path', properties: { page: { type: 'string' } } },
  isOutsideProjects: true,
};

export const RESOURCE_TEMPLATES: readonly ResourceTemplate[] = [
  {
    name: 'docs',
    title: 'Page of the documentation',
    description: 'A page of the documentation of this service, as Markdown. search_docs finds pages.',
    uriTemplate: 'service://docs/{+page}',
    form: /^service:\/\/docs\/([\w-]{1,64}(?:\/[\w-]{1,64}){0,3})$/,
    variable: 'page',
    mimeType: 'text/markdown',
    tool: READ_PAGE.name,
    argument: 'page',
  },
  {
    name: 'error',
    title: 'Error code',
    description: 'What an error code means, why it comes and what to do.',
    uriTemplate: 'service://errors/{code}',
    form: /^service:\/\/errors\/(\w{1,64})$/,
    variable: 'code',
    mimeType: 'text/markdown',
    tool: 'explain_error',
    argument: 'code',
  },
  {
    name: 'project',
    title: 'Project',
    description: 'A project by id or slug: its repository, framework and production branch.',
    uriTemplate: 'service://projects/{id}',
    form: /^service:\/\/projects\/([\w-]{1,64})$/,
    variable: 'project',
    mimeType: 'application/json',
    tool: 'get_project',
    argument: 'project_id',
  },
  {
    name: 'deploy_log',
    title: 'Log of a deploy',
    description: 'The lines that the build of a deploy has printed so far.',
    uriTemplate: 'service://deploys/{id}/log',
    form: /^service:\/\/deploys\/(\w{1,64})\/log$/,
    variable: 'deploy',
    mimeType: 'text/plain',
    tool: 'get_deploy_logs',
    argument: 'deploy_id',
  },
  {
    name: 'database_schema',
    title: 'Schema of a database',
    description: 'The tables of a database, with their columns, indexes and sizes.',
    uriTemplate: 'service://databases/{id}/schema',
    form: /^service:\/\/databases\/(\w{1,64})\/schema$/,
    variable: 'database',
    mimeType: 'application/json',
    tool: 'describe_schema',
    argument: 'database_id',
  },
];

/** An address with the kind that it is of, and the value of its variable. */
export interface FoundResource {
  readonly template: ResourceTemplate;
  readonly value: string;
}

/** Returns undefined for an address that no template has. Values have letters, digits, `-`, `_` and slashes alone. */
export function findResource(uri: string): FoundResource | undefined {
  for (const template of RESOURCE_TEMPLATES) {
    const value = template.form.exec(uri)?.[1];
    if (value !== undefined) return { template, value };
  }
  return undefined;
}
