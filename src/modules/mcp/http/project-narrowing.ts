import { Injectable } from '@nestjs/common';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { type ToolCall, ToolCalls } from './tool-calls.js';

type Given = ToolCall['given'];

/** Keeps a caller whose address names a project within that project. */
@Injectable()
export class ProjectNarrowing {
  constructor(private readonly calls: ToolCalls) {}

  /**
   * Returns the arguments with the project filled in.
   *
   * @throws {RequestInvalid} `invalid_request` for an argument that is not known to belong to the project.
   */
  async apply(call: ToolCall): Promise<Given> {
    const {
      session: {
        narrowing: { project },
      },
      entry: { places },
      given,
    } = call;
    if (project === undefined) return given;
    if (places.get('project_id') === 'path') {
      const named = given['project_id'] ?? project;
      if (named !== project && (await this.idOf(call, named)) !== (await this.idOf(call, project)))
        throw outside('project_id', project);
      return { ...given, project_id: project };
    }
    if (places.get('deploy_id') === 'path' && (await this.projectOfDeploy(call)) !== (await this.idOf(call, project)))
      throw outside('deploy_id', project);
    return given;
  }

  private async projectOfDeploy(call: ToolCall): Promise<unknown> {
    const deployId = call.given['deploy_id'];
    const { body } = await this.calls.look(call, `/api/v1/deploys/${segment(deployId)}`);
    return fieldOf(body, 'project_id') ?? NONE;
  }

  private async idOf(call: ToolCall, idOrSlug: unknown): Promise<unknown> {
    const { body } = await this.calls.look(call, `/api/v1/projects/${segment(idOrSlug)}`);
    return fieldOf(body, 'id') ?? Symbol('a project that cannot be read');
  }
}

/** Equals no project. */
const NONE = Symbol('a deploy that cannot be read');

/** Returns a field of the `data` of an answer, or undefined for a refusal. */
export const fieldOf = (body: Readonly<Record<string, unknown>>, name: string): unknown =>
  (body['data'] as Record<string, unknown> | undefined)?.[name];

const segment = (value: unknown): string =>
  typeof value === 'string' && !/^\.*$/.test(value) && value.length <= 200
    ? encodeURIComponent(value.toWellFormed())
    : '-';

const outside = (path: string, project: string): RequestInvalid =>
  new RequestInvalid([
    {
      path,
      in: 'path',
      code: 'outside_project',
      message: `The address of this server limits it to the project ${project}.`,
      expected: project,
    },
  ]);
