import { Injectable } from '@nestjs/common';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { fieldOf } from './project-narrowing.js';
import type { AnswerBody } from './tool-answers.js';
import { type ToolCall, ToolCalls } from './tool-calls.js';

/** The name of a database that is no branch or in production, and undefined for a branch; or why that is not known. */
type Found = { readonly name: string | undefined } | { readonly refusal: AnswerBody };

/** Keeps statements that may change data on branches, unless the address of the server allows more. */
@Injectable()
export class BranchWrites {
  constructor(private readonly calls: ToolCalls) {}

  /**
   * A branch that is attached to production, such as after a swap, counts as no branch.
   *
   * @throws {RequestInvalid} `invalid_request` for a database that is no branch, where only those may be changed.
   */
  async find(call: ToolCall): Promise<Found> {
    const id = call.given['database_id'];
    if (typeof id !== 'string' || !/^\w{1,64}$/.test(id)) throw noDatabase();
    const { status, body } = await this.calls.look(call, `/api/v1/databases/${id}`);
    // Without knowing what it is, nothing is changed.
    if (status !== 200) return { refusal: body };
    const isBranch = fieldOf(body, 'parent_id') !== null;
    if (isBranch && fieldOf(body, 'in_production') === false) return { name: undefined };
    const name = fieldOf(body, 'name') as string;
    if (call.session.narrowing.writes !== 'main') throw noBranch(name, isBranch);
    return { name };
  }
}

const noDatabase = (): RequestInvalid =>
  new RequestInvalid([
    { path: 'database_id', in: 'path', code: 'is_id', message: 'database_id must be an id.', expected: 'an id' },
  ]);

const noBranch = (name: string, isBranch: boolean): RequestInvalid =>
  new RequestInvalid([
    {
      path: 'database_id',
      in: 'path',
      code: 'is_branch',
      message:
        `${JSON.stringify(name)} is ${isBranch ? 'attached to production' : 'no branch'}. ` +
        'Create a branch with create_branch, ' +
        'or add writes=main to the address of this server.',
      expected: 'the id of a branch',
    },
  ]);
