import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import type { JsonSchema } from '../../agents/json-schema.js';
import type { Scope } from '../../auth/scopes.js';
import type { OrgDatabase, OrgDatabasesService } from '../../databases/org-databases.service.js';
import { statementFailure } from './database-statement.js';
import { isListed, listFaults, missingFaults, notListed } from './listed-resources.js';
import { unknownSettings } from './setting-faults.js';
import { SingleTool, type ToolSettings } from './single-tool.js';

export const DATABASE_PROPERTY: JsonSchema = {
  ...{ type: 'string', minLength: 1, maxLength: 100, description: 'The id or the name of a database.' },
};

/** A tool that works in one database, which a version can narrow to those that it lists and their branches. */
export abstract class DatabaseTool extends SingleTool {
  protected abstract readonly databases: OrgDatabasesService;
  /** True for a tool that works only in databases that are listed. */
  protected readonly needsList: boolean = false;
  protected readonly knownSettings: readonly string[] = ['databases'];

  override faultsOf(settings: ToolSettings, path: string): readonly FieldFault[] {
    const isAbsent = settings['databases'] === undefined && !this.needsList;
    return [
      ...unknownSettings(settings, this.knownSettings, path),
      ...(isAbsent ? [] : listFaults(settings, 'databases', path)),
    ];
  }

  missingOf(settings: ToolSettings, path: string, orgId: string): Promise<readonly FieldFault[]> {
    return missingFaults(settings, { kind: 'databases', path }, (names) => this.databases.missing(orgId, names));
  }

  /** Calls `work` with the database if caller and version may use it. The model learns why a statement fails. */
  protected async inDatabase(
    { caller, input }: ToolCall,
    { settings, scope }: { readonly settings: ToolSettings; readonly scope: Scope },
    work: (database: OrgDatabase) => Promise<ToolOutcome>,
  ): Promise<ToolOutcome> {
    const idOrName = input['database'] as string;
    const database = await this.databases.get(caller, idOrName, scope);
    const { id, name, parentId } = database;
    const parent = parentId === null ? undefined : await this.databases.get(caller, parentId, scope);
    const names = [id, name, ...(parent === undefined ? [] : [parent.id, parent.name])];
    if (!isListed(settings, 'databases', names)) return notListed(settings, 'databases', idOrName);
    try {
      return await work(database);
    } catch (error) {
      const failure = statementFailure(error);
      if (failure === undefined) throw error;
      return failure;
    }
  }
}
